import { useLayoutEffect, useState } from "preact/hooks";
import { isObject, jsonValue } from "../../../contract/index.ts";
import type { ResourceRecord } from "../../../control/client/index.ts";

import { findResources, useLoaded, useProject, useSession } from "../live/session.ts";
import { Button, PlainButton } from "../parts/action.tsx";
import { SelectField, TextArea, TextField } from "../parts/fields.tsx";
import { jsonProblem } from "../parts/text.tsx";
import { type ApiOperation, bodyExample, LINES_TYPE, type ParameterObject } from "./document.ts";
import { type Draft, hasTextBody } from "./request.ts";

interface FieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** A field for a parameter: a choice for fixed values, lines for a list, and otherwise a line of text. */
export function Parameter({ parameter, ...props }: FieldProps & { readonly parameter: ParameterObject }) {
  const { name, in: place, required, schema, content } = parameter;
  const choices = schema?.type === "boolean" ? ["true", "false"] : schema?.enum?.map(String);
  const isLines = schema?.type === "array" || schema?.patternProperties !== undefined;
  const format = content ? "JSON" : schema?.patternProperties ? "name=value, one per line" : isLines && "one per line";
  const field = { ...props, label: name, hint: [place, format].filter(Boolean).join(", "), required };
  if (choices) return <SelectField {...field} options={[["", "not sent"], ...choices]} />;
  return isLines ? <TextArea {...field} rows={[2, 8]} /> : <TextField {...field} />;
}

/** The bearer token of the service, with a button that issues one for the project. */
export function TokenField({ project, ...field }: FieldProps & { readonly project: string }) {
  const controls = useProject(project);
  return (
    <div>
      <TextField {...field} label="Bearer token" hint="needed if the setting auth is strict" />
      <Button
        kind="quiet"
        run={async () => field.onChange((await controls.token()).access_token)}
        disabled={project === ""}
      >
        Issue a token
      </Button>
    </div>
  );
}

/** The header `Prefer`, with the values that the operation and the mock know. */
export function Prefer({ operation, ...field }: FieldProps & { readonly operation: ApiOperation }) {
  const examples = operation.responses.flatMap(([, { content = {} }]) =>
    Object.values(content).flatMap((each) => Object.keys(each.examples ?? {}).filter((name) => name !== "default")),
  );
  const suggestions = [
    ...operation.responses.map(([status]) => `code=${status}`),
    ...[...new Set(examples)].map((name) => `example=${name}`),
    "dynamic=true, seed=1",
  ];
  return (
    <TextField
      {...field}
      {...{ label: "Prefer", hint: "selects another response", placeholder: "code=503", suggestions }}
    />
  );
}

interface BodyFieldProps {
  readonly operation: ApiOperation;
  readonly draft: Draft;
  readonly onChange: (changes: Partial<Draft>) => void;
}

/** The body as a text, or as a file if its type is not a text; and its type if there are several. */
export function BodyField({ operation, draft, onChange }: BodyFieldProps) {
  const { body, file, mediaType } = draft;
  const types = Object.keys(operation.requestBody?.content ?? {});
  const hasText = hasTextBody(draft);
  const hasLines = mediaType === LINES_TYPE;
  const isJson = /json/.test(mediaType);
  const insert = (type: string) => onChange({ mediaType: type, body: bodyExample(operation, type) });
  const choose = (chosen: File | undefined) =>
    onChange({ file: chosen, ...(chosen && types.includes(chosen.type) && { mediaType: chosen.type }) });
  const texts = hasLines ? body.trimEnd().split("\n") : [body];
  const isChecked = hasText && isJson && body !== "";
  const problem = isChecked ? texts.map(jsonProblem).find((each) => each !== undefined) : undefined;
  return (
    <>
      {types.length > 1 && <SelectField label="Content type" value={mediaType} options={types} onChange={insert} />}
      {hasText && (
        <TextArea
          label="Body"
          hint={hasLines ? "JSON, one value in each line" : isJson ? "JSON" : mediaType}
          rows={[3, 16]}
          value={body}
          isInvalid={problem !== undefined}
          onChange={(text) => onChange({ body: text })}
        />
      )}
      {problem && <p class="quiet">{problem}. The mock responds with an error.</p>}
      {file && !(file instanceof File) && <p>The recorded body of {file.size.toLocaleString("en")} bytes is sent.</p>}
      {(!hasText || hasLines) && (
        <label class="field">
          {hasLines ? "File instead of the text" : "File"}
          <input type="file" accept={types.join(",")} onChange={(event) => choose(event.currentTarget.files?.[0])} />
        </label>
      )}
      {hasText && types.length > 0 && (
        <div class="bar">
          <PlainButton onClick={() => insert(mediaType)}>Insert the example</PlainButton>
        </div>
      )}
    </>
  );
}

/** The number of resources to choose from. The search finds all others. */
const MAX_CHOICES = 20;

interface StoredResourceProps {
  readonly operation: ApiOperation;
  readonly project: string;
  readonly onChoose: (resource: ResourceRecord) => void;
}

/** A search for any resource of the project, for operations with its id or key in the path. */
export function StoredResource({ operation: { parameters }, project, onChoose }: StoredResourceProps) {
  const { connection } = useSession();
  const [text, setText] = useState("");
  const name = parameters.some((each) => each.name === "key") ? "key" : "id";
  const isByPath = parameters.some((each) => each.in === "path" && each.name === name);
  const { value: found = [] } = useLoaded(
    async () => {
      const query = { q: text.trim() || undefined, where: name === "key" ? "key is defined" : undefined };
      return isByPath ? (await findResources(connection, project, { ...query, limit: MAX_CHOICES })).resources : [];
    },
    [],
    [project, text],
  );
  const nameOf = ({ key, id }: ResourceRecord) => key ?? id;
  const chosen = found.find((resource) => nameOf(resource) === text);
  useLayoutEffect(() => {
    if (!chosen) return;
    onChoose(chosen);
    setText("");
  }, [chosen]);
  if (!isByPath) return null;
  return (
    <TextField
      label="Stored resource"
      placeholder={`Search by ${name === "key" ? "key" : "id or key"}`}
      value={text}
      suggestions={found.map(nameOf)}
      onChange={setText}
    />
  );
}

/** Returns the changes of a form that address this resource: its id or key, and its version in a body that has one. */
export function filledIn(
  { parameters }: ApiOperation,
  draft: Draft,
  { id, key, version }: Pick<ResourceRecord, "id" | "key" | "version">,
): Partial<Draft> {
  const known: Readonly<Record<string, string | undefined>> = { id, key, version: String(version) };
  const values = { ...draft.values };
  for (const { name } of parameters) {
    const value = Object.hasOwn(known, name) ? known[name] : undefined;
    if (value !== undefined) values[name] = value;
  }
  return { values, target: undefined, body: withVersion(draft.body, version) };
}

function withVersion(body: string, version: number): string {
  const value = jsonValue(body);
  return isObject(value) && "version" in value ? JSON.stringify({ ...value, version }, undefined, 2) : body;
}
