import { useState } from "preact/hooks";
import { useContract } from "../live/contract.ts";
import { useLoaded } from "../live/loaded.ts";
import { useProject } from "../live/session.ts";
import { isNotFound } from "../parts/action.tsx";
import { Loading } from "../parts/loading.tsx";
import { Method } from "../parts/text.tsx";
import { hrefOf, type Route } from "../route.ts";
import type { ApiOperation } from "./document.ts";
import { Reference } from "./reference.tsx";
import { draftOf } from "./request.ts";
import { Try } from "./try.tsx";

interface ApiProps {
  /** Without a project, the forms have a field for its key. */
  readonly project?: string;
  /** The item is the id of the open operation. With `request` in the filter, the form has this recorded request. */
  readonly route: Route;
}

/** A request to any path, for recorded requests that match no operation. */
const anyRequest: ApiOperation = {
  ...{ api: "service", group: "", id: "any-request", method: "GET", path: "", summary: "Any request" },
  ...{ security: [], parameters: [], responses: [], assumptions: [] },
  body: { isRequired: false, content: {} },
  resolve: (schema) => schema,
};

/** The operations of both APIs: what the contract says of them, and a form that sends a request. */
export function Api({ project, route }: ApiProps) {
  const service = useContract();
  const control = useContract("control");
  return (
    <Loading of={service} lines={8}>
      {(ofService) => (
        <Loading of={control} lines={8}>
          {(ofControl) => <Operations project={project} route={route} operations={[...ofService, ...ofControl]} />}
        </Loading>
      )}
    </Loading>
  );
}

interface OperationsProps extends ApiProps {
  readonly operations: readonly ApiOperation[];
}

function Operations({ project, route: { item, filter }, operations }: OperationsProps) {
  const { request } = filter;
  const open = item === anyRequest.id ? anyRequest : operations.find(({ id }) => id === item);
  const isOpen = request !== undefined || item !== undefined;
  return (
    <div class={isOpen ? "panes open api" : "panes api"}>
      <nav class="pane" aria-label="Operations">
        <OperationList project={project} operations={operations} selected={open?.id} />
      </nav>
      {isOpen && (
        <section class="pane item" aria-label={open?.summary ?? "Operation"}>
          <a class="api-back" href={hrefOf({ project, view: "api" })}>
            All operations
          </a>
          {request !== undefined && project !== undefined ? (
            <FromRequest key={request} project={project} request={request} operations={operations} />
          ) : open ? (
            <Operation key={open.id} project={project} operation={open} />
          ) : (
            <p class="failure" role="alert">
              Operation {item} not found.
            </p>
          )}
        </section>
      )}
    </div>
  );
}

function Operation({ project, operation }: { readonly project?: string; readonly operation: ApiOperation }) {
  return (
    <>
      <h2>{operation.summary}</h2>
      <Try operation={operation} project={project}>
        {operation.path !== "" && <Reference operation={operation} />}
      </Try>
    </>
  );
}

interface FromRequestProps {
  readonly project: string;
  readonly request: string;
  readonly operations: readonly ApiOperation[];
}

/** The form with a recorded request. */
function FromRequest({ project, request, operations }: FromRequestProps) {
  const controls = useProject(project);
  const entry = useLoaded(
    () => controls.requests.get(request),
    () => false,
  );
  if (isNotFound(entry.error)) return <p class="notice">The journal no longer has the request {request}.</p>;
  return (
    <Loading of={entry} lines={8}>
      {(found) => {
        const operation = operations.find(({ id }) => id === found.operation) ?? anyRequest;
        return (
          <>
            <h2>
              Send again: {found.request.method} {found.request.path}
            </h2>
            <Try operation={operation} project={project} recorded={{ ...draftOf(operation, found), id: request }}>
              {operation !== anyRequest && <Reference operation={operation} />}
            </Try>
          </>
        );
      }}
    </Loading>
  );
}

interface OperationListProps {
  readonly project: string | undefined;
  readonly operations: readonly ApiOperation[];
  readonly selected: string | undefined;
}

function OperationList({ project, operations, selected }: OperationListProps) {
  const [text, setText] = useState("");
  const words = text.toLowerCase().split(/\s+/);
  const shown = [...operations, anyRequest].filter(({ id, method, path, summary }) => {
    const searched = `${id} ${method} ${path} ${summary}`.toLowerCase();
    return words.every((word) => searched.includes(word));
  });
  const groups = Map.groupBy(shown, ({ api, group }) => (api === "service" ? "Service" : `Control API: ${group}`));
  return (
    <>
      <input
        type="search"
        aria-label="Search operations"
        placeholder="Search operations"
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      {shown.length === 0 && <p class="quiet">No matching operations.</p>}
      {Array.from(groups, ([name, members]) => (
        <section key={name} aria-label={name}>
          <h2>{name}</h2>
          <ul class="plain">
            {members.map(({ id, method, summary, path }) => (
              <li key={id}>
                <a
                  href={hrefOf({ project, view: "api", item: id })}
                  title={path}
                  aria-current={id === selected ? "page" : undefined}
                >
                  <Method name={method} /> {summary}
                </a>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}
