/* The keyboard: shortcuts, and where the focus goes. */

import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { navigate, type Route } from "../route.ts";

/** What keys do, by key as in `KeyboardEvent.key`: `j`, `/`, `Escape`, `Ctrl+k`. */
type Shortcuts = Readonly<Record<string, () => unknown>>;

/** Sets shortcuts while the component is shown. Those of a component inside come first. */
export function useShortcuts(shortcuts: Shortcuts): void {
  const latest = useRef(shortcuts);
  latest.current = shortcuts;
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      const hasModifier = event.ctrlKey || event.metaKey;
      if (event.altKey || event.defaultPrevented || document.querySelector("dialog[open]")) return;
      if (!hasModifier && isTyping(event.target, event.key)) return;
      const name = event.key.length === 1 ? event.key.toLowerCase() : event.key;
      const key = hasModifier ? `Ctrl+${name}` : name;
      if (!Object.hasOwn(latest.current, key)) return;
      event.preventDefault();
      latest.current[key]?.();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
}

/**
 * Sets the shortcuts of a list: to open the next and the previous item, and to close the open one. `routeOf` returns the
 * route of an item, or of the list without one. Returns the function that opens the next (1) or the previous (-1) item.
 */
export function useSteps<Item extends { readonly id: string }>(
  items: readonly Item[],
  open: string | undefined,
  routeOf: (item: Item | undefined) => Route,
) {
  const step = (by: 1 | -1) => {
    const index = items.findIndex(({ id }) => id === open);
    const next = items[index === -1 ? 0 : index + by];
    if (next) navigate(routeOf(next), { replace: open !== undefined });
  };
  useShortcuts({
    j: () => step(1),
    k: () => step(-1),
    Escape: () => open !== undefined && navigate(routeOf(undefined)),
  });
  return step;
}

/** Returns whether the key belongs to a form field. Escape leaves the field. */
function isTyping(target: EventTarget | null, key: string): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (key === "Enter") return target.matches("a, button, input, select, textarea, summary");
  if (!target.matches("input, select, textarea")) return false;
  if (key === "Escape") target.blur();
  return true;
}

const steps: Readonly<Record<string, number>> = {
  ...{ ArrowDown: 1, ArrowRight: 1, End: Number.POSITIVE_INFINITY },
  ...{ ArrowUp: -1, ArrowLeft: -1, Home: Number.NEGATIVE_INFINITY },
};

/** Moves the focus among elements with the arrow keys, Home and End. Does nothing for other keys. */
export function moveFocus(event: KeyboardEvent, among: Iterable<Element>): void {
  const elements = [...among].filter((element) => element instanceof HTMLElement);
  const step = steps[event.key];
  if (step === undefined) return;
  event.preventDefault();
  const index = elements.indexOf(document.activeElement as HTMLElement) + step;
  elements[Math.max(0, Math.min(index, elements.length - 1))]?.focus();
}

/**
 * Makes the matching elements one stop of the Tab key: the current one, or else the first. The arrow keys lead to the
 * others.
 */
export function useOneStop(area: RefObject<HTMLElement | null>, selector: string): void {
  useLayoutEffect(() => {
    const element = area.current;
    const all = () => [...(element?.querySelectorAll<HTMLElement>(selector) ?? [])];
    const mark = () => {
      const elements = all();
      const focused = elements.find((each) => each === document.activeElement);
      const stop = focused ?? elements.find((each) => each.ariaCurrent) ?? elements[0];
      for (const each of elements) each.tabIndex = each === stop ? 0 : -1;
    };
    const press = (event: KeyboardEvent) => {
      if (event.target instanceof Element && event.target.matches(selector)) moveFocus(event, all());
    };
    mark();
    const ending = new AbortController();
    element?.addEventListener("focusin", mark, ending);
    element?.addEventListener("keydown", press, ending);
    return () => ending.abort();
  });
}

/**
 * Moves the focus to the button of the next or previous item of a list, or to the page without another item. Call
 * it before the item of this control is removed: a removed control would lose the focus.
 */
export function focusNeighbour(element: Element | null): void {
  const item = element?.closest("li");
  const next = item?.nextElementSibling ?? item?.previousElementSibling;
  const target = next?.querySelector<HTMLElement>("button") ?? document.querySelector<HTMLElement>("main");
  target?.focus();
}

/**
 * Moves the focus to the link (`data-id`) of the item in a list that a key has opened, and of one that was closed with the
 * focus in it; to the list if that item is gone. The focus stays where it is in other parts of the page.
 */
export function useFocusOfOpen(list: RefObject<HTMLElement | null>, open: string | undefined): void {
  const { current: item } = useRef<{ before?: string; wanted?: string; isClosed?: boolean }>({ before: open });
  useLayoutEffect(() => {
    const { activeElement } = document;
    const isLost = activeElement === document.body;
    if (item.before !== open) {
      const isFree = isLost || list.current?.contains(activeElement);
      Object.assign(item, { wanted: isFree ? (open ?? item.before) : undefined, isClosed: open === undefined });
      item.before = open;
    } else if (item.isClosed && item.wanted === undefined && isLost) list.current?.focus();
    if (item.wanted === undefined) return;
    // A row that was out of view is rendered after the list has scrolled to it.
    const link = list.current?.querySelector<HTMLElement>(`a[data-id="${CSS.escape(item.wanted)}"]`);
    if (!link) return;
    item.wanted = undefined;
    link.focus({ preventScroll: true });
  });
}
