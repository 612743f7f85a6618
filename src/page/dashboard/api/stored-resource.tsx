import { useLayoutEffect, useState } from "preact/hooks";
import { isObject } from "../../../contract/index.ts";
import { control, path, type ResourceRecord } from "../../../control/client/index.ts";
import { useLoaded } from "../live/loaded.ts";
import { useSession } from "../live/session.ts";
import { TextField } from "../parts/fields.tsx";
import { jsonIn } from "../parts/text.tsx";
import type { ApiOperation } from "./document.ts";
import type { Draft } from "./request.ts";

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
  const query = { q: text.trim() || undefined, where: name === "key" ? "key is defined" : undefined };
  const { value: found = [] } = useLoaded(
    async () => {
      if (!isByPath) return [];
      const request = { method: "GET", path: path`/projects/${project}/resources` } as const;
      const page = await control<{ resources: ResourceRecord[] }>(connection, {
        ...request,
        query: { ...query, limit: MAX_CHOICES },
      });
      return page.resources;
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
      hint="fills in its id or key, and its version"
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
  const value = jsonIn(body);
  return isObject(value) && "version" in value ? JSON.stringify({ ...value, version }, undefined, 2) : body;
}
