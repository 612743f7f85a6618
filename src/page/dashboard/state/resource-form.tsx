import { useState } from "preact/hooks";
import { isObject } from "../../../contract/index.ts";
import type { RecordDraft } from "../../../control/client/index.ts";
import { type ApiOperation, JSON_TYPE, type Resolve, type SchemaObject } from "../api/document.ts";
import { useContract } from "../live/contract.ts";
import { useProject } from "../live/session.ts";
import { Form, Loading } from "../parts/action.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { NumberField, TextArea, useDraft } from "../parts/fields.tsx";
import { SchemaField } from "../parts/schema-field.tsx";
import { counted, jsonIn, parsedLines } from "../parts/text.tsx";
import { useToasts } from "../parts/toasts.tsx";
import { deleteResources, resourcesIn } from "./transfer.tsx";

/** Longer texts make a form slow. In UTF-16 units. */
const MAX_FORM = 50_000;

/** The fields of a resource by the schema of the contract, or its JSON. Each follows the other. */
export function ResourceForm({ text, onChange }: { readonly text: string; readonly onChange: (text: string) => void }) {
  const contract = useContract();
  const [isJson, setJson] = useState(text.length > MAX_FORM);
  const value = jsonIn(text);
  return (
    <>
      <div class="bar">
        {[false, true].map((each) => (
          <button key={`${each}`} type="button" aria-pressed={isJson === each} onClick={() => setJson(each)}>
            {each ? "JSON" : "Form"}
          </button>
        ))}
      </div>
      {isJson || !isObject(value) ? (
        <>
          <TextArea label="Resource as JSON" isBare rows={[10, 28]} value={text} onChange={onChange} />
          {!isJson && <p class="quiet">The form follows when the JSON is valid.</p>}
        </>
      ) : (
        <Loading of={contract}>
          {(operations) => (
            <SchemaField
              label=""
              {...draftSchema(operations)}
              value={value}
              onChange={(next) => onChange(JSON.stringify(next, undefined, 2))}
            />
          )}
        </Loading>
      )}
    </>
  );
}

/** Returns the schema of a resource as clients create it, with the id and the key, which the mock adds. */
function draftSchema(operations: readonly ApiOperation[]): { resolve: Resolve; schema: SchemaObject } {
  const operation = operations.find(({ id }) => id === "createResource");
  const resolve: Resolve = operation?.resolve ?? ((schema) => schema);
  const { properties, required } = resolve(operation?.body?.content[JSON_TYPE]?.schema ?? {});
  const text = { type: "string", examples: [""] } as const;
  return { resolve, schema: { type: "object", required, properties: { id: text, key: text, ...properties } } };
}

const example = JSON.stringify(
  { key: "my-key", objectTypeProperty: { arrayOfStringExample: ["linen"] } },
  undefined,
  2,
);

/**
 * A dialog that adds resources: from a form, from JSON, or generated. Calls `onClose` with the ids of the new resources,
 * or without any when the user closes it.
 */
export function NewResources({ onClose }: { readonly onClose: (ids?: readonly string[]) => void }) {
  const controls = useProject();
  const toasts = useToasts();
  const [text, setText] = useDraft(`${controls.key} new resources`, example);
  const [count, setCount] = useDraft<number | undefined>(`${controls.key} generated count`, 10);
  const [seed, setSeed] = useDraft<number | undefined>(`${controls.key} generated seed`, undefined);

  const close = (added: readonly { readonly id: string }[]) => {
    const ids = added.map(({ id }) => id);
    onClose(ids);
    toasts.show(`Added ${counted(ids.length)}`, () => deleteResources(controls, ids));
  };
  const add = async () => {
    const drafts = resourcesIn(parsedLines(text));
    // A single resource is sent as such, so that the pointer in an error is the one in the text.
    const isOne = drafts.length === 1 && text.trimStart().startsWith("{");
    const added = isOne ? [await controls.seed(drafts[0] as RecordDraft)] : await controls.seed(drafts);
    setText(undefined);
    close(added);
  };
  const generate = async () =>
    close(await controls.seed({ generate: count ?? 0, ...(seed !== undefined && { seed }) }));
  return (
    <Dialog title="New resource" kind="wide" onClose={() => onClose()}>
      <Form run={add} submit="Create">
        <ResourceForm text={text} onChange={setText} />
        <p class="quiet">The JSON can also be an array of resources, or NDJSON with one resource in each line.</p>
      </Form>
      <h3>Generate resources</h3>
      <Form isLine run={generate} submit="Generate">
        <NumberField label="Number" value={count} min={1} max={5000} onChange={setCount} />
        <NumberField label="Seed" value={seed} placeholder="default" onChange={setSeed} />
      </Form>
    </Dialog>
  );
}
