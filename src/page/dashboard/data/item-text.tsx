/* The text of an item: as JSON with an outline of its members, or as a form if its schema is shallow. */

import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { isObject, jsonValue, type Schema } from "../../../contract/index.ts";
import { ControlError } from "../../../control/client/index.ts";
import { flattened, sampleOf, typeOf } from "../api/document.ts";
import { Failure, Form, IconButton, useAction } from "../parts/action.tsx";
import { goToValue, JsonEditor, type JsonProblem } from "../parts/json-editor.tsx";
import { Inline } from "../parts/markdown.tsx";
import { SchemaField } from "../parts/schema-field.tsx";
import { Fold, isLines, jsonProblem } from "../parts/text.tsx";
import { isScalar } from "./types.ts";

interface ItemTextProps {
  readonly schema: Schema;
  /** The members that only the mock knows, such as the version of an item whose schema has none. */
  readonly ofMock?: readonly string[];
  readonly text: string;
  readonly onChange: (text: string) => void;
  /** Sends the text. Problems that the mock finds appear at their lines. */
  readonly run: () => Promise<unknown>;
  readonly submit: string;
  readonly disabled?: boolean;
  /** What is above the text, beside the button, and below the text. */
  readonly lead?: ComponentChildren;
  readonly more?: ComponentChildren;
  readonly hint?: string;
}

/** A form has at most this number of fields. */
const MAX_FIELDS = 12;

export function ItemText({
  schema,
  ofMock = [],
  text,
  onChange,
  run,
  submit,
  disabled,
  lead,
  more,
  hint,
}: ItemTextProps) {
  const action = useAction();
  const area = useRef<HTMLDivElement>(null);
  const [typed, setTyped] = useState<string>();
  const fields = shallowFields(schema);
  // The schema may still be loading.
  const [wanted, setForm] = useState<boolean>();
  const isForm = wanted ?? fields !== undefined;
  const value = jsonValue(text);
  const members = isObject(value) ? value : undefined;
  const write = (next: object) => change(JSON.stringify(next, undefined, 2));
  const change = (next: string) => {
    action.clear();
    onChange(next);
  };
  const problems = problemsOf(action.error);
  const isInEditor = problems !== undefined || (!isLines(text) && jsonProblem(text) !== undefined);
  return (
    <Form
      run={run}
      action={isInEditor ? { ...action, error: undefined } : action}
      {...{ submit, more }}
      disabled={disabled || typed !== undefined}
      isFooter
    >
      {lead}
      {fields && (
        <fieldset class="segments" aria-label="Shown as">
          {[true, false].map((each) => (
            <button key={`${each}`} type="button" aria-pressed={isForm === each} onClick={() => setForm(each)}>
              {each ? "Form" : "JSON"}
            </button>
          ))}
        </fieldset>
      )}
      {fields && isForm && members ? (
        <ShallowForm {...{ fields, members, typed }} onTyped={setTyped} onChange={write}>
          <Failure of={action} />
        </ShallowForm>
      ) : (
        <div class="item-text-columns" ref={area}>
          <div>
            <JsonEditor
              label="Item as JSON"
              value={text}
              onChange={change}
              problems={problems}
              isJson={!isLines(text)}
            />
            {hint && <p class="quiet">{hint}</p>}
          </div>
          {members && (
            <Outline
              {...{ schema, members, ofMock }}
              onOpen={(pointer) => goToValue(area.current, pointer)}
              onChange={write}
            />
          )}
        </div>
      )}
    </Form>
  );
}

/** Returns the problems that the mock has found in a text, by their pointers; undefined for other errors. */
function problemsOf(error: unknown): JsonProblem[] | undefined {
  if (!(error instanceof ControlError)) return undefined;
  const { errors } = error.problem as { readonly errors?: readonly { detail: string; pointer?: string }[] };
  if (!errors?.some(({ pointer }) => pointer !== undefined)) return undefined;
  return errors.map(({ detail, pointer }) => ({ message: detail, ...(pointer !== undefined && { pointer }) }));
}

/** Returns the schema of a form: only if it has few members, and all of them are texts, numbers or truth values. */
function shallowFields(schema: Schema): Schema | undefined {
  const { properties = {}, oneOf, anyOf } = schema;
  const members = Object.entries(properties).map(([name, member]) => [name, flattened(member)] as const);
  const isShallow = members.length > 0 && members.length <= MAX_FIELDS && members.every(([, each]) => isScalar(each));
  if (!isShallow || oneOf || anyOf) return undefined;
  return { ...schema, type: "object", properties: Object.fromEntries(members) };
}

interface FormProps {
  readonly fields: Schema;
  /** The text of the other members while it is no JSON object. */
  readonly typed: string | undefined;
  readonly onTyped: (text: string | undefined) => void;
  readonly members: Readonly<Record<string, unknown>>;
  readonly onChange: (members: object) => void;
  readonly children: ComponentChildren;
}

/** The fields of the schema, and what else the item has, as JSON. */
function ShallowForm({ fields, members, typed, onTyped, onChange, children }: FormProps) {
  const known = (name: string) => Object.hasOwn(fields.properties ?? {}, name);
  const others = Object.fromEntries(Object.entries(members).filter(([name]) => !known(name)));
  const own = Object.fromEntries(Object.entries(members).filter(([name]) => known(name)));
  const shown = Object.keys(others).length > 0 ? JSON.stringify(others, undefined, 2) : undefined;
  return (
    <>
      <SchemaField
        label=""
        schema={fields}
        value={own}
        onChange={(next) => onChange({ ...(next as object), ...others })}
      />
      {children}
      {shown !== undefined && (
        <>
          <h3>Members outside of the schema</h3>
          {"$mock" in others && (
            <p class="quiet">
              Under <code>$mock.hidden</code>: what clients have sent, and what the service does not return.
            </p>
          )}
          <JsonEditor
            label="Members outside of the schema"
            least={2}
            value={typed ?? shown}
            onChange={(text) => {
              const value = jsonValue(text);
              onTyped(isObject(value) ? undefined : text);
              if (isObject(value)) onChange({ ...own, ...value });
            }}
          />
        </>
      )}
    </>
  );
}

interface OutlineProps {
  readonly schema: Schema;
  readonly ofMock: readonly string[];
  readonly members: Readonly<Record<string, unknown>>;
  readonly onOpen: (pointer: string) => void;
  readonly onChange: (members: object) => void;
}

/** The members of an item: required and set ones with what the contract says, those outside of it, and further ones. */
function Outline({ schema, ofMock, members, onOpen, onChange }: OutlineProps) {
  const { properties = {}, required = [] } = schema;
  const isSet = (name: string) => Object.hasOwn(members, name);
  const known = Object.keys(properties);
  const shown = known.filter((name) => isSet(name) || required.includes(name));
  const further = known.filter((name) => !shown.includes(name));
  const isOutside = (name: string) => !known.includes(name) && name !== "$mock" && !ofMock.includes(name);
  const outside = known.length === 0 ? [] : Object.keys(members).filter(isOutside);
  const line = (name: string) => {
    const member = flattened(properties[name] ?? {});
    return (
      <li key={name}>
        <button
          type="button"
          class="quiet option"
          title={isSet(name) ? `Go to ${name}` : `Add ${name}`}
          onClick={() =>
            isSet(name)
              ? onOpen(`/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`)
              : onChange({ ...members, [name]: sampleOf(member) })
          }
        >
          <code class="key">{name}</code>
          <span class="quiet cut">{known.includes(name) ? typeOf(member) : ""}</span>
          {outside.includes(name) && <span class="badge warning">not in the schema</span>}
          {required.includes(name) && <span class="required">required</span>}
        </button>
        {isSet(name) && !required.includes(name) && (
          <IconButton
            label={`Remove ${name}`}
            onClick={() => onChange(Object.fromEntries(Object.entries(members).filter(([each]) => each !== name)))}
          />
        )}
        {member.description && (
          <p class="quiet cut" title={member.description}>
            <Inline text={member.description.split("\n", 1)[0] ?? ""} />
          </p>
        )}
      </li>
    );
  };
  return (
    <section class="outline" aria-label="Members">
      <ul class="plain">{[...outside, ...shown].map(line)}</ul>
      {further.length > 0 && (
        <Fold title={`${further.length} more that can be added`}>
          {() => <ul class="plain">{further.map(line)}</ul>}
        </Fold>
      )}
    </section>
  );
}
