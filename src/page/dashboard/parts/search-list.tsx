/* One way to choose among many: a field, and a list of what it finds. */

import type { ComponentChildren } from "preact";
import { useId, useMemo, useState } from "preact/hooks";
import { Menu } from "./layout.tsx";

export interface Choice {
  readonly value: string;
  /** What the user searches by. */
  readonly text: string;
  /** What is shown; the text by default. */
  readonly shown?: ComponentChildren;
  readonly hint?: ComponentChildren;
  /** Makes the choice a link. */
  readonly href?: string;
}

interface SearchListProps {
  readonly label: string;
  readonly placeholder?: string;
  /** All choices; the list shows those that have all words of the text. */
  readonly choices: readonly Choice[];
  readonly current?: string;
  readonly onChoose: (choice: Choice) => void;
  /** Called with each text. The caller then returns the choices that a server has found. */
  readonly onText?: (text: string) => void;
  readonly children?: ComponentChildren;
}

/** The most choices that the list shows. The field finds the others. */
export const MAX_CHOICES = 50;

/** A field with a list of choices below (ARIA Authoring Practices Guide, "Combobox"). */
export function SearchList(props: SearchListProps) {
  const { label, placeholder = label, choices, current, onChoose, onText, children } = props;
  const [text, setText] = useState("");
  const [place, setPlace] = useState<number>();
  const id = useId();
  const found = useMemo(() => matching(choices, text), [choices, text]);
  const shown = found.slice(0, MAX_CHOICES);
  const more = found.length - shown.length;
  const initial = text === "" ? shown.findIndex(({ value }) => value === current) : 0;
  const selected = Math.min(place ?? Math.max(0, initial), shown.length - 1);
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const choice = shown[selected];
    if (event.key === "Enter" && choice) onChoose(choice);
    else if (step) setPlace(Math.max(0, Math.min(shown.length - 1, selected + step)));
    else if (event.key !== "Enter") return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="search-list">
      <input
        role="combobox"
        aria-label={label}
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={selected < 0 ? undefined : `${id}-${selected}`}
        {...{ placeholder, value: text }}
        spellcheck={false}
        autocomplete="off"
        onInput={({ currentTarget: { value } }) => {
          setText(value);
          setPlace(undefined);
          onText?.(value);
        }}
        onKeyDown={press}
      />
      {children}
      <div id={id} role="listbox" aria-label={`${label}: results`}>
        {shown.map((choice, index) => {
          const shared = {
            id: `${id}-${index}`,
            class: "option",
            role: "option",
            tabIndex: -1,
            title: choice.text,
            "aria-selected": index === selected,
            ref: (element: HTMLElement | null) =>
              void (index === selected && element?.scrollIntoView({ block: "nearest" })),
            children: (
              <>
                <span class="key">{choice.shown ?? choice.text}</span>
                {choice.hint !== undefined && <span class="quiet">{choice.hint}</span>}
              </>
            ),
            onClick: () => onChoose(choice),
          } as const;
          return choice.href === undefined ? (
            <button type="button" key={choice.value} {...shared} />
          ) : (
            <a key={choice.value} {...shared} href={choice.href} />
          );
        })}
      </div>
      {found.length === 0 && <p class="quiet">Nothing found.</p>}
      {more > 0 && <p class="quiet">{more.toLocaleString("en")} more. Type to find them.</p>}
    </div>
  );
}

/** Returns the choices that have all words of a text, those that it names or that begin with it first. */
export function matching<Item extends Pick<Choice, "text"> & Partial<Choice>>(
  choices: readonly Item[],
  text: string,
): Item[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [...choices];
  const found = choices.filter((choice) => words.every((word) => choice.text.toLowerCase().includes(word)));
  const rankOf = ({ value, text }: Item) =>
    value?.toLowerCase() === words[0] ? 0 : text.toLowerCase().startsWith(words[0] ?? "") ? 1 : 2;
  return found.sort((one, other) => rankOf(one) - rankOf(other));
}

interface PickerProps extends Omit<SearchListProps, "onChoose"> {
  readonly onChoose: (value: string, choice: Choice) => void;
  /** The text of the button if no choice is the current one. */
  readonly none?: string;
}

/** A button with the current choice, which opens a list that is searched. For choices that can be many. */
export function Picker({ current, onChoose, none = "Choose…", ...list }: PickerProps) {
  const chosen = list.choices.find(({ value }) => value === current);
  return (
    <Menu isForm label={list.label} kind="picker" text={chosen?.shown ?? chosen?.text ?? none}>
      {(close) => (
        <SearchList
          {...{ ...list, current }}
          onChoose={(choice) => {
            close();
            onChoose(choice.value, choice);
          }}
        />
      )}
    </Menu>
  );
}
