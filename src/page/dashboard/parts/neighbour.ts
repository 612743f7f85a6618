/**
 * Moves the focus to the same control in the next or previous item of a list, or to the page without another item. Call
 * it before the item of this control is removed: a removed control would lose the focus.
 *
 * @param control the selector of the control within an item, for instance "button"
 */
export function focusNeighbour(element: Element, control: string): void {
  const item = element.closest("li");
  const next = item?.nextElementSibling ?? item?.previousElementSibling;
  const target = next?.querySelector<HTMLElement>(control) ?? document.querySelector<HTMLElement>("main");
  target?.focus();
}
