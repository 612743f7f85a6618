import { useLayoutEffect, useRef } from "preact/hooks";

export interface Tab {
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
  // On a phone, the tabs are wider than the window.
  useLayoutEffect(() => {
    area.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [open]);
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
