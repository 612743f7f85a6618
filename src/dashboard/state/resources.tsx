import { useState } from "preact/hooks";
import { control, path } from "../../client/connection.ts";
import type { RecordDraft, ResourceRecord } from "../../client/types.ts";
import { on } from "../live/events.ts";
import { useLoaded } from "../live/loaded.ts";
import { useProject, useSession } from "../live/session.ts";
import { Button, Failure, useAction } from "../parts/action.tsx";
import { JsonForm } from "../parts/json-form.tsx";
import { hrefOf } from "../route.ts";

const PAGE = 50;
const example: RecordDraft = { key: "my-key", objectTypeProperty: { arrayOfStringExample: ["linen"] } };

/** The resources of a project, in pages, and controls to add more. */
export function Resources({ project, item }: { project: string; item?: string }) {
  const controls = useProject(project);
  const action = useAction();
  const [offset, setOffset] = useState(0);
  const [count, setCount] = useState(10);
  return (
    <section>
      <h2>Resources</h2>
      <ResourcePage key={offset} project={project} item={item} offset={offset} onOffset={setOffset} />
      <Failure of={action} />
      <p class="bar">
        <input
          type="number"
          min="1"
          aria-label="Number of resources to generate"
          value={count}
          onInput={(event) => setCount(event.currentTarget.valueAsNumber)}
        />
        <Button action={action} run={() => controls.seed({ generate: count })}>
          Generate
        </Button>
      </p>
      <details>
        <summary>Add a resource</summary>
        <JsonForm
          draft={`${project} new resource`}
          label="Resource"
          initial={example}
          submit="Add this resource"
          onSubmit={(resource) => controls.seed(resource as RecordDraft)}
        />
      </details>
    </section>
  );
}

interface PageProps {
  readonly project: string;
  readonly item?: string;
  readonly offset: number;
  readonly onOffset: (offset: number) => void;
}

function ResourcePage({ project, item, offset, onOffset }: PageProps) {
  const { connection } = useSession();
  const page = useLoaded(
    () =>
      control<{ resources: ResourceRecord[]; total: number }>(connection, {
        method: "GET",
        path: path`/projects/${project}/resources`,
        query: { limit: PAGE, offset },
      }),
    on(project, "state"),
  );
  const { resources = [], total = 0 } = page.value ?? {};
  return (
    <>
      <Failure of={page} />
      <table class="rows">
        <thead>
          <tr>
            <th>Id</th>
            <th>Key</th>
            <th class="number">Version</th>
            <th>Last modified</th>
          </tr>
        </thead>
        <tbody>
          {resources.map(({ id, key, version, lastModifiedAt }) => (
            <tr key={id} aria-selected={id === item}>
              <td>
                <a href={hrefOf({ project, view: "state", item: id })}>{id}</a>
              </td>
              <td>{key}</td>
              <td class="number">{version}</td>
              <td class="quiet">{lastModifiedAt}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="bar quiet">
        {total === 0 ? "No resources" : `${offset + 1}–${offset + resources.length} of ${total}`}
        <button type="button" disabled={offset === 0} onClick={() => onOffset(Math.max(0, offset - PAGE))}>
          Previous
        </button>
        <button type="button" disabled={offset + PAGE >= total} onClick={() => onOffset(offset + PAGE)}>
          Next
        </button>
      </p>
    </>
  );
}
