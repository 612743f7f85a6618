import { useState } from "preact/hooks";
import { contractOf, useLoaded, useProject, useSession } from "../live/session.ts";
import { Failure, isNotFound, Loading } from "../parts/action.tsx";
import { SearchField } from "../parts/fields.tsx";
import { Method } from "../parts/text.tsx";
import { hrefOf, useRoute } from "../route.ts";
import type { ApiOperation } from "./document.ts";
import { About, Reference } from "./reference.tsx";
import { draftOf } from "./request.ts";
import { Try } from "./try.tsx";

/** A request to any path, for recorded requests that match no operation. */
const anyRequest: ApiOperation = {
  ...{ api: "service", tags: [], id: "any-request", method: "GET", path: "", summary: "Any request" },
  ...{ security: [], parameters: [], responses: [], requestBody: { content: {} } },
};

/**
 * The operations of both APIs: what the contract says of them, and a form that sends a request. The item of the route is
 * the id of the open operation. With `request` in the filter, the form has this recorded request.
 */
export function Api() {
  const session = useSession();
  const contracts = useLoaded(() => Promise.all([contractOf(session), contractOf(session, "control")]));
  return (
    <Loading of={contracts} lines={8}>
      {(both) => <Operations operations={both.flat()} />}
    </Loading>
  );
}

function Operations({ operations }: { readonly operations: readonly ApiOperation[] }) {
  const { project } = useSession();
  const { item, filter } = useRoute();
  const { request } = filter;
  const open = item === anyRequest.id ? anyRequest : operations.find(({ id }) => id === item);
  const isOpen = request !== undefined || item !== undefined;
  return (
    <div class={isOpen ? "panes open api" : "panes api"}>
      <nav class="pane operations" aria-label="Operations">
        <OperationList operations={operations} selected={open?.id} />
      </nav>
      {isOpen && (
        <section class="pane item" aria-label={open?.summary ?? "Operation"}>
          <a class="api-back" href={hrefOf({ project, view: "api" })}>
            All operations
          </a>
          {request !== undefined && project !== undefined ? (
            <FromRequest key={request} request={request} operations={operations} />
          ) : open ? (
            <Operation key={open.id} operation={open} />
          ) : (
            <Failure of={{ error: `Operation ${item} not found.` }} />
          )}
        </section>
      )}
    </div>
  );
}

function Operation({ operation }: { readonly operation: ApiOperation }) {
  return (
    <>
      <h2>{operation.summary}</h2>
      {operation.path !== "" && <About operation={operation} />}
      <Try operation={operation}>{operation.path !== "" && <Reference operation={operation} />}</Try>
    </>
  );
}

function FromRequest({ request, operations }: { request: string; operations: readonly ApiOperation[] }) {
  const controls = useProject();
  const entry = useLoaded(() => controls.requests.get(request));
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
            <Try operation={operation} recorded={{ ...draftOf(operation, found), id: request }}>
              {operation !== anyRequest && <Reference operation={operation} />}
            </Try>
          </>
        );
      }}
    </Loading>
  );
}

interface OperationListProps {
  readonly operations: readonly ApiOperation[];
  readonly selected: string | undefined;
}

function OperationList({ operations, selected }: OperationListProps) {
  const { project } = useSession();
  const [text, setText] = useState("");
  const words = text.toLowerCase().split(/\s+/);
  const shown = [...operations, anyRequest].filter(({ id, method, path, summary }) => {
    const searched = `${id} ${method} ${path} ${summary}`.toLowerCase();
    return words.every((word) => searched.includes(word));
  });
  const groups = Map.groupBy(shown, ({ api, tags: [tag] }) => (api === "service" ? "Service" : `Control API: ${tag}`));
  return (
    <>
      <SearchField label="Search operations" value={text} onChange={setText} />
      {shown.length === 0 && <p class="quiet">No matching operations.</p>}
      <div class="groups">
        {Array.from(groups, ([name, members]) => (
          <section key={name} aria-label={name}>
            <h2>{name}</h2>
            <ul class="plain">
              {members.map(({ id, method, summary, path }) => (
                <li key={id}>
                  <a
                    class="option"
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
      </div>
    </>
  );
}
