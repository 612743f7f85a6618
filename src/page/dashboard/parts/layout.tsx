import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { navigate, type Route, useRoute } from "../route.ts";
import { useNarrow } from "./focus.ts";
import { counted } from "./text.tsx";

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
  /** What the item is, such as "Resource". */
  readonly noun: string;
  readonly name: string;
  /** The location without the item. */
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

/** The number of items in a page. */
export const PAGE = 50;

/** Returns the number of items before the page that the URL names. */
export function offsetOf({ filter }: Route): number {
  const page = Number(filter.page);
  return Number.isInteger(page) && page > 1 && page < 1e6 ? (page - 1) * PAGE : 0;
}

/** Returns the route with other values in its filter. Every change but that of the page leads to the first page. */
export function withFilter(route: Route, change: Readonly<Record<string, string>>): Route {
  return { ...route, filter: { ...route.filter, page: "", ...change } };
}

interface PagerProps {
  /** The number of items on this page, and on all pages. */
  readonly shown: number;
  readonly total: number;
  /** The name of one item. */
  readonly noun: string;
}

/** Says which items the page shows, and leads to the other pages. */
export function Pager({ shown, total, noun }: PagerProps) {
  const route = useRoute();
  const offset = offsetOf(route);
  const step = (title: string, to: number, isPossible: boolean) => (
    <button
      type="button"
      class="quiet"
      aria-disabled={!isPossible || undefined}
      onClick={() => isPossible && navigate(withFilter(route, { page: to < PAGE ? "" : String(to / PAGE + 1) }))}
    >
      {title}
    </button>
  );
  return (
    <p class="bar pager">
      <span class="quiet" role="status">
        {total <= shown || shown === 0
          ? counted(total, noun)
          : `${(offset + 1).toLocaleString("en")}–${(offset + shown).toLocaleString("en")} of ${counted(total, noun)}`}
      </span>
      {total > PAGE && (
        <nav class="bar" aria-label={`Pages of ${noun}s`}>
          {step("Previous", offset - PAGE, offset > 0)}
          {step("Next", offset + PAGE, offset + PAGE < total)}
        </nav>
      )}
    </p>
  );
}
