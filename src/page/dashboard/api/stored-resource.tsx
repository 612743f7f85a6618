import { useState } from "preact/hooks";
import { isObject } from "../../../contract/index.ts";
import { control, path, type ResourceRecord } from "../../../control/client/index.ts";
import { useLoaded } from "../live/loaded.ts";
import { useSession } from "../live/session.ts";
import { Loading } from "../parts/action.tsx";
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
  const [text, setText] = useState<string>();
  if (!parameters.some((each) => each.in === "path" && (each.name === "id" || each.name === "key"))) return null;
  return (
    <div>
      <TextField
        label="Stored resource"
        placeholder="Search by id or key"
        value={text ?? ""}
        onFocus={() => setText(text ?? "")}
        onChange={setText}
      />
      {text !== undefined && (
        <Choices
          project={project}
          text={text.trim()}
          isByKey={parameters.some(({ name }) => name === "key")}
          onChoose={(resource) => {
            setText(undefined);
            onChoose(resource);
          }}
        />
      )}
    </div>
  );
}

interface ChoicesProps {
  readonly project: string;
  readonly text: string;
  readonly isByKey: boolean;
  readonly onChoose: (resource: ResourceRecord) => void;
}

function Choices({ project, text, isByKey, onChoose }: ChoicesProps) {
  const { connection } = useSession();
  const found = useLoaded(
    () =>
      control<{ resources: ResourceRecord[]; total: number }>(connection, {
        method: "GET",
        path: path`/projects/${project}/resources`,
        query: { q: text || undefined, where: isByKey ? "key is defined" : undefined, limit: MAX_CHOICES },
      }),
    [],
    [project, text],
  );
  return (
    <Loading of={found} lines={2}>
      {({ resources, total }) => (
        <ul class="plain choices" aria-label="Stored resources">
          {resources.map((resource) => (
            <li key={resource.id}>
              <button type="button" class="quiet" onClick={() => onChoose(resource)}>
                {resource.key ?? resource.id} <span class="quiet">version {resource.version}</span>
              </button>
            </li>
          ))}
          {total > resources.length && <li class="quiet">{total - resources.length} more: type to find them.</li>}
          {total === 0 && <li class="quiet">No such resource.</li>}
        </ul>
      )}
    </Loading>
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
