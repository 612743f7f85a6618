/* Tabs, open items, rows, menus and dialogs, and whether the page is narrow. */

import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { IconButton } from "./action.tsx";
import { Boundary } from "./boundary.tsx";
import { useDraft } from "./fields.tsx";
import { Icon } from "./icon.tsx";
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
  return (
    <nav class="tabs" aria-label={label}>
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
 * An open item beside its list, which a handle makes wider and narrower. Another item starts at the top. The pane keeps
 * the focus if it was on a control that is gone and, on a narrow page, takes that of the list, which it covers.
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
    <>
      {!isNarrow && <Handle />}
      <section ref={pane} tabIndex={-1} class={`pane item ${noun.toLowerCase()}`} aria-label={`${noun} ${name}`}>
        <div class="item-head">
          <div class="title">
            <h2 title={name}>{title}</h2>
            <div class="group">
              {controls}
              <a class="button quiet icon" href={closeHref} title="Close (Escape)">
                <Icon name="close" />
                <span class="hidden">Close this {noun.toLowerCase()}</span>
              </a>
            </div>
          </div>
          {head}
        </div>
        <Boundary key={name} noun={`This ${noun.toLowerCase()}`}>
          {children}
        </Boundary>
      </section>
    </>
  );
}

/** The shares of the width that an open item can have, in percent. */
const SHARE = { least: 25, most: 75 };

/** The edge between a list and its open item (ARIA Authoring Practices Guide, "Window Splitter"). */
function Handle() {
  const [share, setShare] = useDraft("share of the open item", 50);
  const edge = useRef<HTMLDivElement>(null);
  const choose = (wanted: number) => setShare(Math.round(Math.max(SHARE.least, Math.min(SHARE.most, wanted))));
  useLayoutEffect(() => edge.current?.parentElement?.style.setProperty("--share", `${share}%`), [share]);
  return (
    // biome-ignore lint/a11y/useSemanticElements: the element is focused and moved, which no hr can be.
    <div
      ref={edge}
      class="handle"
      role="separator"
      aria-orientation="vertical"
      aria-label="Width of the open item"
      aria-valuenow={share}
      aria-valuemin={SHARE.least}
      aria-valuemax={SHARE.most}
      tabIndex={0}
      onKeyDown={({ key }) => choose(share + ({ ArrowLeft: 4, ArrowRight: -4 }[key] ?? 0))}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={({ currentTarget, pointerId, clientX }) => {
        const area = currentTarget.parentElement?.getBoundingClientRect();
        if (area && currentTarget.hasPointerCapture(pointerId)) choose(((area.right - clientX) / area.width) * 100);
      }}
    />
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
  /** The controls at the end of the row. */
  readonly children?: ComponentChildren;
}

/** A row of a list (`.items`): its title, a quiet line about the item, and its controls. */
export function Item({ lead, title, about, more, isOpen = false, children }: RowProps) {
  return (
    <li data-open={isOpen || undefined}>
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
  /** What the button shows: three dots by default. */
  readonly text?: ComponentChildren;
  /** A class of the button. */
  readonly kind?: "picker" | "switcher";
  /** The commands, or a form with `isForm`. Called only while the menu is open, with a function that closes it. */
  readonly children: (close: () => void) => ComponentChildren;
  /** Whether the panel has fields in place of commands: the arrow keys then belong to the fields. */
  readonly isForm?: boolean;
}

/** A button that opens a panel with commands (`MenuItem`, `<hr />`) or with a form. A command closes the panel. */
export function Menu({ label, text, kind, children, isForm = false }: MenuProps) {
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
    panel?.querySelector<HTMLElement>("[role=menuitem], input, select")?.focus({ preventScroll: true });
    const leave = ({ target }: Event) => {
      if (target instanceof Node && !root.current?.contains(target)) setOpen(false);
    };
    const closing = new AbortController();
    for (const type of ["pointerdown", "focusin"])
      addEventListener(type, leave, { signal: closing.signal, capture: true });
    return () => closing.abort();
  }, [isOpen]);
  const press = (event: KeyboardEvent) => {
    if (event.key === "Escape" && isOpen) {
      event.stopPropagation();
      close();
    } else if (!isForm && root.current) moveFocus(event, root.current.querySelectorAll("[role=menuitem]"));
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys belong to the button and the commands inside.
    <div class={kind ? `menu ${kind}` : "menu"} ref={root} onKeyDown={press}>
      <button
        ref={button}
        type="button"
        class={text === undefined ? "quiet icon" : undefined}
        aria-label={kind === undefined && typeof text !== "string" ? label : undefined}
        title={label}
        aria-haspopup={isForm ? "dialog" : "menu"}
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setOpen(!isOpen)}
      >
        {kind !== undefined && <span class="hidden">{label}: </span>}
        {kind === undefined ? (text ?? <Icon name="more" />) : <span class="key">{text}</span>}
        {kind !== undefined && <Icon name="chevron" />}
      </button>
      {isOpen && (
        // biome-ignore lint/a11y/useAriaPropsSupportedByRole: both roles have a name.
        <div
          id={id}
          class={isForm ? "menu-panel form" : "menu-panel"}
          role={isForm ? "dialog" : "menu"}
          aria-label={label}
          // Before the command runs: it may move the focus.
          onClickCapture={({ target }) => target instanceof Element && target.closest("[role=menuitem]") && close()}
        >
          {children(close)}
        </div>
      )}
    </div>
  );
}

/** The least distance of a panel from the edges of the window, in pixels. */
const MARGIN = 16;

/** Moves a panel that the window would cut off at a side, and makes one lower that would end below the window. */
function fitInWindow(panel: HTMLElement): void {
  const { clientWidth, clientHeight } = document.documentElement;
  const { left, right, top, bottom } = panel.getBoundingClientRect();
  const shift = Math.max(MARGIN - left, Math.min(0, clientWidth - MARGIN - right));
  panel.style.translate = `${shift}px`;
  // At least 160 pixels, also near the lower edge.
  if (bottom > clientHeight - MARGIN) panel.style.maxHeight = `max(160px, ${clientHeight - MARGIN - top}px)`;
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
  readonly kind?: "wide";
}

/** A modal dialog. It takes the focus, in its first field if it is for typing, and returns it when it closes. */
export function Dialog({ title, children, onClose, kind }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const show = () => {
    dialog.current?.showModal();
    dialog.current?.querySelector<HTMLElement>("input, select, textarea, form button")?.focus();
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
