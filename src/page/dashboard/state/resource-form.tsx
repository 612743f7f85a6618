import { useState } from "preact/hooks";
import { isObject } from "../../../contract/index.ts";
import { type ApiOperation, JSON_TYPE, type Resolve, type SchemaObject } from "../api/document.ts";
import { useContract } from "../live/contract.ts";
import { Loading } from "../parts/action.tsx";
import { TextArea } from "../parts/fields.tsx";
import { SchemaField } from "../parts/schema-field.tsx";
import { jsonIn } from "../parts/text.tsx";

interface ResourceFormProps {
  /** The resource as JSON. */
  readonly text: string;
  readonly onChange: (text: string) => void;
}

/** Longer texts make a form slow. In UTF-16 units. */
const MAX_FORM = 50_000;

/** The fields of a resource by the schema of the contract, or its JSON. Each follows the other. */
export function ResourceForm({ text, onChange }: ResourceFormProps) {
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
