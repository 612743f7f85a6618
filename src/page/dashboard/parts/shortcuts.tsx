import { type ComponentChildren, createContext } from "preact";
import { useContext, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Dialog } from "./dialog.tsx";
import { Facts } from "./text.tsx";

interface Shortcut {
  readonly does: string;
  readonly run: () => void;
}

/** Shortcuts by key, as in `KeyboardEvent.key`: `j`, `/`, `Escape`, `Ctrl+k`. */
type Shortcuts = Readonly<Record<string, Shortcut>>;

interface Registry {
  add(shortcuts: () => Shortcuts): () => void;
}

const ShortcutContext = createContext<Registry>({ add: () => () => {} });

/** Sets shortcuts while the component is shown. Those of the component that was mounted last come first. */
export function useShortcuts(shortcuts: Shortcuts): void {
  const registry = useContext(ShortcutContext);
  const latest = useRef(shortcuts);
  latest.current = shortcuts;
  useLayoutEffect(() => registry.add(() => latest.current), [registry]);
}

/** Sets the shortcuts of a list: to open the next and the previous item, and to close the open one. */
export function useSteps(noun: string, isOpen: boolean, step: (by: 1 | -1) => void, close: () => void): void {
  useShortcuts({
    j: { does: `Open the next ${noun}`, run: () => step(1) },
    k: { does: `Open the previous ${noun}`, run: () => step(-1) },
    Escape: { does: `Close the ${noun}`, run: () => isOpen && close() },
  });
}

/** Listens for the keys of all shortcuts inside, and shows their list for `?`. */
export function ShortcutArea({ children }: { children: ComponentChildren }) {
  const [shown, setShown] = useState<readonly (readonly [string, Shortcut])[]>();
  const [registry] = useState(() => createRegistry());
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      const hasModifier = event.ctrlKey || event.metaKey;
      if (event.altKey || event.defaultPrevented || document.querySelector("dialog[open]")) return;
      if (!hasModifier && isTyping(event.target, event.key)) return;
      const name = event.key.length === 1 ? event.key.toLowerCase() : event.key;
      const key = hasModifier ? `Ctrl+${name}` : name;
      if (key === "?") setShown(registry.list());
      else registry.find(key)?.run();
      if (key === "?" || registry.find(key)) event.preventDefault();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [registry]);
  return (
    <ShortcutContext.Provider value={registry}>
      {children}
      {shown && (
        <Dialog title="Keyboard shortcuts" onClose={() => setShown(undefined)}>
          <Facts of={[...shown.map(([key, { does }]) => [key, does] as const), ["?", "Show this list"]]} isCode />
        </Dialog>
      )}
    </ShortcutContext.Provider>
  );
}

/** Returns whether the key belongs to a form field. Escape leaves the field. */
function isTyping(target: EventTarget | null, key: string): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (key === "Enter") return target.matches("a, button, input, select, textarea, summary");
  if (!target.matches("input, select, textarea")) return false;
  if (key === "Escape") target.blur();
  return true;
}

function createRegistry() {
  const sets: (() => Shortcuts)[] = [];
  const find = (key: string) => sets.findLast((set) => Object.hasOwn(set(), key))?.()[key];
  return {
    find,
    add(shortcuts: () => Shortcuts) {
      sets.push(shortcuts);
      return () => {
        sets.splice(sets.indexOf(shortcuts), 1);
      };
    },
    list: () =>
      Array.from(new Set(sets.flatMap((set) => Object.keys(set()))), (key) => [key, find(key)] as const).flatMap(
        ([key, shortcut]) => (shortcut ? [[key, shortcut] as const] : []),
      ),
  };
}
