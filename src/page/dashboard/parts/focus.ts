import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

/** Moves the focus among elements with the arrow keys, Home and End. Does nothing for other keys. */
export function moveFocus(event: KeyboardEvent, among: Iterable<Element>): void {
  const elements = [...among].filter((element) => element instanceof HTMLElement);
  const index = elements.indexOf(document.activeElement as HTMLElement);
  const targets: Readonly<Record<string, number>> = {
    ArrowDown: Math.min(index + 1, elements.length - 1),
    ArrowUp: Math.max(index - 1, 0),
    Home: 0,
    End: elements.length - 1,
  };
  const target = elements[targets[event.key] ?? -1];
  if (!target) return;
  event.preventDefault();
  target.focus();
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
    element?.addEventListener("focusin", mark);
    element?.addEventListener("keydown", press);
    return () => {
      element?.removeEventListener("focusin", mark);
      element?.removeEventListener("keydown", press);
    };
  });
}

/**
 * Moves the focus to the button of the next or previous item of a list, or to the page without another item. Call
 * it before the item of this control is removed: a removed control would lose the focus.
 */
export function focusNeighbour(element: Element): void {
  const item = element.closest("li");
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

/** Phones, and narrow windows. The style sheets use the same width. */
const query = matchMedia("(max-width: 760px)");

export function useNarrow(): boolean {
  const [isNarrow, setNarrow] = useState(query.matches);
  useLayoutEffect(() => {
    const follow = () => setNarrow(query.matches);
    query.addEventListener("change", follow);
    return () => query.removeEventListener("change", follow);
  }, []);
  return isNarrow;
}
