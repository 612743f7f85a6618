import { useState } from "preact/hooks";
import type { ApiOperation } from "../../api-docs/document.ts";
import { Operation } from "../../api-docs/operation.tsx";
import { type Session, SessionContext } from "../../api-docs/session.ts";
import { Method } from "../../api-docs/text.tsx";
import { useContract } from "../live/contract.ts";
import { useLoaded } from "../live/loaded.ts";
import { useProject, useSession } from "../live/session.ts";
import { useDraft } from "../parts/drafts.ts";
import { Loading } from "../parts/loading.tsx";
import { useNarrow } from "../parts/narrow.ts";
import { hrefOf, type Route } from "../route.ts";

/** The forms that the user changed, by project. They stay while the user visits other views. */
const draftsOf = new Map<string, Session["drafts"]>();

interface ApiProps {
  readonly project: string;
  readonly route: Route;
}

/** The operations of the service: what the contract says of them, and a form that sends a request to this project. */
export function Api({ project, route }: ApiProps) {
  const contract = useContract();
  return <Loading of={contract}>{(all) => <Operations project={project} route={route} operations={all} />}</Loading>;
}

function Operations({ project, route, operations }: ApiProps & { readonly operations: readonly ApiOperation[] }) {
  const { connection } = useSession();
  const isNarrow = useNarrow();
  const [token, setToken] = useDraft(`${project} api token`, "");
  const wanted = route.item === undefined && !isNarrow ? operations[0] : undefined;
  const operation = operations.find(({ id }) => id === route.item) ?? wanted;
  const drafts = draftsOf.get(project) ?? new Map();
  draftsOf.set(project, drafts);
  const session = {
    adminToken: connection.adminToken ?? "",
    token,
    setToken,
    projectKey: project,
    drafts,
    renderEntry: (owner: string, id: string) => <Decisions key={id} project={owner} id={id} />,
  };
  return (
    <div class={operation ? "panes open api" : "panes api"}>
      <nav class="pane" aria-label="Operations">
        <OperationList project={project} operations={operations} selected={operation?.id} />
      </nav>
      {operation && (
        <section class="pane item" aria-label={operation.summary}>
          {isNarrow && <a href={hrefOf({ project, view: "api" })}>All operations</a>}
          <h2>{operation.summary}</h2>
          <SessionContext.Provider value={session}>
            <Operation key={operation.id} operation={operation} />
          </SessionContext.Provider>
        </section>
      )}
    </div>
  );
}

interface OperationListProps {
  readonly project: string;
  readonly operations: readonly ApiOperation[];
  readonly selected: string | undefined;
}

function OperationList({ project, operations, selected }: OperationListProps) {
  const [text, setText] = useState("");
  const words = text.toLowerCase().split(/\s+/);
  const shown = operations.filter(({ id, method, path, summary }) => {
    const searched = `${id} ${method} ${path} ${summary}`.toLowerCase();
    return words.every((word) => searched.includes(word));
  });
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
      <ul class="plain">
        {shown.map(({ id, method, summary, path }) => (
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
      <p class="quiet">
        <a href="/__admin/docs">Reference of both APIs</a>
      </p>
    </>
  );
}

/** The decisions behind a response, from the journal. */
function Decisions({ project, id }: { readonly project: string; readonly id: string }) {
  const { requests } = useProject(project);
  const entry = useLoaded(
    () => requests.get(id),
    () => false,
  );
  return (
    <section class="notice decisions" aria-label="Decisions">
      <Loading of={entry} lines={2}>
        {({ decisions }) => (
          <ol>
            {decisions.map((decision, index) => (
              <li key={index}>{decision}</li>
            ))}
          </ol>
        )}
      </Loading>
      <a href={hrefOf({ project, view: "requests", item: id })}>Open this request</a>
    </section>
  );
}
