/* Tabs, open items, rows, menus and dialogs, and whether the page is narrow. */

import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { IconButton } from "./action.tsx";
import { moveFocus } from "./keyboard.tsx";

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

interface PaneProps {
  readonly noun: string;
  readonly name: string;
  /** The heading; the name by default. */
  readonly title?: ComponentChildren;
  /** What is beside the button that closes the item, and below the heading. Both stay in view. */
  readonly controls?: ComponentChildren;
  readonly head?: ComponentChildren;
  readonly closeHref: string;
  readonly children: ComponentChildren;
}

/**
 * An open item beside its list. Another item starts at the top. The pane keeps the focus if it was on a control that is
 * gone and, on a narrow page, takes that of the list, which it covers.
 */
export function ItemPane({ noun, name, title = name, controls, head, closeHref, children }: PaneProps) {
  const pane = useRef<HTMLElement>(null);
  const isNarrow = useNarrow();
  const { current: before } = useRef({ name, hadFocus: false });
  // Read during the rendering: the focused button may be gone afterwards.
  if (before.name !== name) Object.assign(before, { name, hadFocus: pane.current?.contains(document.activeElement) });
  useLayoutEffect(() => pane.current?.scrollTo(0, 0), [name]);
  useLayoutEffect(() => {
    if (isNarrow) pane.current?.focus();
  }, [isNarrow]);
  useLayoutEffect(() => {
    if (before.hadFocus && document.activeElement === document.body) pane.current?.focus();
  });
  return (
    <section ref={pane} tabIndex={-1} class={`pane item ${noun.toLowerCase()}`} aria-label={`${noun} ${name}`}>
      <div class="item-head">
        <div class="title">
          <h2 title={name}>{title}</h2>
          <div class="group">
            {controls}
            <a class="button quiet icon" href={closeHref} aria-label={`Close this ${noun.toLowerCase()}`}>
              ✕
            </a>
          </div>
        </div>
        {head}
      </div>
      {children}
    </section>
  );
}

interface RowProps {
  /** What comes first in the row, such as a switch. */
  readonly lead?: ComponentChildren;
  readonly title: ComponentChildren;
  readonly about?: ComponentChildren;
  /** What follows the text, such as a fold or an error. */
  readonly more?: ComponentChildren;
  readonly isOpen?: boolean;
  readonly isUsedUp?: boolean;
  /** The controls at the end of the row. */
  readonly children?: ComponentChildren;
}

/** A row of a list (`.items`): its title, a quiet line about the item, and its controls. */
export function Item({ lead, title, about, more, isOpen = false, isUsedUp = false, children }: RowProps) {
  return (
    <li class={isUsedUp ? "used-up" : undefined} data-open={isOpen || undefined}>
      {lead}
      <div class="item-text">
        <p>{title}</p>
        {about && <p class="quiet">{about}</p>}
        {more}
      </div>
      {children && <div class="bar">{children}</div>}
    </li>
  );
}

interface MenuProps {
  readonly label: string;
  /** The text of the button: `…` by default. */
  readonly text?: string;
  /** The side of the button where the panel starts; the right one by default. */
  readonly align?: "start";
  /** The commands, or a form with `isForm`. Called only while the menu is open. */
  readonly children: () => ComponentChildren;
  /** Whether the panel has fields in place of commands: the arrow keys then belong to the fields. */
  readonly isForm?: boolean;
}

/** A button that opens a panel with commands (`MenuItem`, `<hr />`) or with a form. A command closes the panel. */
export function Menu({ label, text, align, children, isForm = false }: MenuProps) {
  const [isOpen, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  useLayoutEffect(() => {
    if (!isOpen) return undefined;
    const panel = root.current?.querySelector<HTMLElement>(".menu-panel");
    if (panel) fitInWindow(panel);
    panel?.querySelector<HTMLElement>("[role=menuitem], input, select")?.focus();
    const leave = ({ target }: Event) => {
      if (target instanceof Node && !root.current?.contains(target)) setOpen(false);
    };
    addEventListener("pointerdown", leave, true);
    addEventListener("focusin", leave);
    return () => {
      removeEventListener("pointerdown", leave, true);
      removeEventListener("focusin", leave);
    };
  }, [isOpen]);
  const press = (event: KeyboardEvent) => {
    if (event.key === "Escape" && isOpen) {
      event.stopPropagation();
      close();
    } else if (!isForm && root.current) moveFocus(event, root.current.querySelectorAll("[role=menuitem]"));
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys belong to the button and the commands inside.
    <div class="menu" ref={root} onKeyDown={press}>
      <button
        ref={button}
        type="button"
        class={text === undefined ? "quiet icon" : "quiet"}
        aria-label={label}
        aria-haspopup={isForm ? "dialog" : "menu"}
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setOpen(!isOpen)}
      >
        {text ?? "…"}
      </button>
      {isOpen && (
        // biome-ignore lint/a11y/useAriaPropsSupportedByRole: both roles have a name.
        <div
          id={id}
          class={["menu-panel", align, isForm && "form"].filter(Boolean).join(" ")}
          role={isForm ? "dialog" : "menu"}
          aria-label={label}
          // Before the command runs: it may move the focus.
          onClickCapture={({ target }) => target instanceof Element && target.matches("[role=menuitem]") && close()}
        >
          {children()}
        </div>
      )}
    </div>
  );
}

/** The least distance of a panel from the edges of the window, in pixels. */
const MARGIN = 16;
/** A panel near the lower edge keeps this height, in pixels. */
const LEAST_HEIGHT = 160;

/** Moves a panel that the window would cut off at a side, and makes one lower that would end below the window. */
function fitInWindow(panel: HTMLElement): void {
  const { clientWidth, clientHeight } = document.documentElement;
  const { left, right, top, bottom } = panel.getBoundingClientRect();
  const shift = Math.max(MARGIN - left, Math.min(0, clientWidth - MARGIN - right));
  if (shift !== 0) panel.style.translate = `${shift}px`;
  const room = Math.max(LEAST_HEIGHT, clientHeight - MARGIN - top);
  if (bottom - top > room) panel.style.maxHeight = `${room}px`;
}

interface MenuItemProps {
  readonly children: ComponentChildren;
  readonly onClick?: () => unknown;
  readonly href?: string;
  readonly kind?: "danger";
  readonly title?: string;
}

export function MenuItem({ children, onClick, href, kind, title }: MenuItemProps) {
  const shared = {
    role: "menuitem",
    class: kind ? `option ${kind}` : "option",
    title,
    tabIndex: -1,
    children,
  } as const;
  return href === undefined ? <button type="button" {...shared} onClick={onClick} /> : <a {...shared} href={href} />;
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

interface DialogProps {
  readonly title: string;
  readonly children: ComponentChildren;
  /** Called when the user closes the dialog, with Escape or a click outside too. Without it, the dialog stays open. */
  readonly onClose?: () => void;
  /** A class for the size and position; centred by default. */
  readonly kind?: "drawer" | "wide" | "palette";
}

/** A modal dialog. It takes the focus, in its first field if it is for typing, and returns it when it closes. */
export function Dialog({ title, children, onClose, kind }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const show = () => {
    dialog.current?.showModal();
    // On a phone, a drawer whose field has the focus would open the keyboard.
    if (dialog.current && kind !== "drawer") focusFirstField(dialog.current);
  };
  const close = () => onClose && dialog.current?.close();
  useLayoutEffect(() => {
    const before = document.activeElement;
    show();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a modal dialog.
    <dialog
      ref={dialog}
      class={kind}
      aria-labelledby={id}
      onCancel={(event) => onClose ?? event.preventDefault()}
      // Browsers close a dialog for a second Escape.
      onClose={onClose ?? show}
      onClick={(event) => event.target === dialog.current && close()}
    >
      <div class="dialog-content">
        <div class="title">
          <h2 id={id}>{title}</h2>
          {onClose && <IconButton label="Close" onClick={close} />}
        </div>
        {children}
      </div>
    </dialog>
  );
}

/** Moves the focus to the first field. Does nothing for a dialog without fields: the focus stays on "Close". */
function focusFirstField(dialog: HTMLElement): void {
  const form = dialog.querySelector("form");
  const field = (form ?? dialog).querySelector<HTMLElement>("input, select, textarea");
  // While the fields are loading, the form starts with its first button.
  (field ?? form?.querySelector("button"))?.focus();
}
