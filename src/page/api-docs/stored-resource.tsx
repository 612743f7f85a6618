import { useState } from "preact/hooks";
import type { ApiOperation } from "./document.ts";
import type { Draft } from "./request.ts";
import { callControl, useSession } from "./session.ts";

/** The parts of a stored resource that a form can contain. */
interface Stored {
  readonly id: string;
  readonly key?: string;
  readonly version: number;
}

/** The number of resources to choose from. */
const MAX_CHOICES = 50;

interface StoredResourceProps {
  readonly operation: ApiOperation;
  readonly projectKey: string;
  readonly onChoose: (resource: Stored) => void;
}

/** A choice of the resources in the project, for operations with an id, a key or a version. Loads them when the user asks. */
export function StoredResource({ operation: { parameters }, projectKey, onChoose }: StoredResourceProps) {
  const { adminToken } = useSession();
  const [resources, setResources] = useState<readonly Stored[]>();
  const [failure, setFailure] = useState<string>();
  if (!parameters.some((each) => each.in === "path" && (each.name === "id" || each.name === "key"))) return null;
  const isByKey = parameters.some(({ name }) => name === "key");

  const load = async () => {
    setFailure(undefined);
    try {
      const path = `/projects/${encodeURIComponent(projectKey)}/resources?limit=${MAX_CHOICES}`;
      const found = await callControl<{ resources: Stored[] }>(adminToken, path);
      setResources(found.resources.filter(({ key }) => !isByKey || key !== undefined));
    } catch (error) {
      setFailure((error as Error).message);
    }
  };
  return (
    <div class="field">
      {resources === undefined && (
        <button type="button" onClick={() => void load()} disabled={projectKey === ""}>
          Use a stored resource
        </button>
      )}
      {resources?.length === 0 && <p class="quiet">The project has no such resource.</p>}
      {resources !== undefined && resources.length > 0 && (
        <label>
          Stored resource
          <select
            onChange={({ currentTarget }) => {
              const chosen = resources[Number(currentTarget.value)];
              if (chosen) onChoose(chosen);
            }}
          >
            <option value="">Choose…</option>
            {resources.map(({ id, key, version }, index) => (
              <option key={id} value={index}>
                {key ?? id} (version {version})
              </option>
            ))}
          </select>
        </label>
      )}
      {failure && (
        <p class="failure" role="alert">
          {failure}
        </p>
      )}
    </div>
  );
}

/** Returns the changes of a form that address this resource: its id or key, and its version in a body that has one. */
export function filledIn({ parameters }: ApiOperation, draft: Draft, { id, key, version }: Stored): Partial<Draft> {
  const known: Readonly<Record<string, string | undefined>> = { id, key, version: String(version) };
  const values = { ...draft.values };
  for (const { name } of parameters) {
    const value = known[name];
    if (value !== undefined && Object.hasOwn(known, name)) values[name] = value;
  }
  return { values, body: withVersion(draft.body, version) };
}

function withVersion(body: string, version: number): string {
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value !== "object" || value === null || !("version" in value)) return body;
    return JSON.stringify({ ...value, version }, undefined, 2);
  } catch {
    return body;
  }
}
