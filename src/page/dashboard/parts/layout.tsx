import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { useNarrow } from "./focus.ts";

interface Tab {
  readonly text: string;
  readonly href: string;
  readonly isOpen: boolean;
  /** The number of items behind the tab; none for undefined and 0. */
  readonly count?: number;
}

/** Links to parts of a page or of an item. The URL says which one is open. */
export function Tabs({ label, tabs }: { readonly label: string; readonly tabs: readonly Tab[] }) {
  const area = useRef<HTMLElement>(null);
  const open = tabs.find(({ isOpen }) => isOpen)?.text;
  const isNarrow = useNarrow();
  // On a phone, the tabs are wider than the window.
  useLayoutEffect(() => {
    if (isNarrow) area.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [open, isNarrow]);
  return (
    <nav ref={area} class="tabs" aria-label={label}>
      {tabs.map(({ text, href, isOpen, count }) => (
        <a key={text} href={href} aria-current={isOpen ? "page" : undefined}>
          {text}
          {count ? <span class="count">{count}</span> : null}
        </a>
      ))}
    </nav>
  );
}

interface ItemProps {
  readonly noun: string;
  readonly name: string;
  readonly closeHref: string;
  readonly children: ComponentChildren;
}

/** An open item beside its list. On a narrow page, it covers the list, and takes the focus that the list had. */
export function ItemPane({ noun, name, closeHref, children }: ItemProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const isNarrow = useNarrow();
  useLayoutEffect(() => {
    if (isNarrow) heading.current?.focus();
  }, [isNarrow]);
  return (
    <section class="pane item" aria-label={`${noun} ${name}`}>
      <div class="title">
        <h2 ref={heading} class="cut" title={name} tabIndex={-1}>
          {name}
        </h2>
        <a class="button quiet icon" href={closeHref} aria-label={`Close this ${noun.toLowerCase()}`}>
          ✕
        </a>
      </div>
      {children}
    </section>
  );
}
