import { useMemo } from "preact/hooks";
import type { RequestEntry } from "../../../control/client/index.ts";
import { whyOf } from "../../../journal/index.ts";
import { useLoaded, useProject, useSession } from "../live/session.ts";
import { IconButton, isNotFound, Loading } from "../parts/action.tsx";
import { useCopy } from "../parts/files.tsx";
import { ItemPane, Menu, MenuItem, Tabs } from "../parts/layout.tsx";
import { Status, Time, Words } from "../parts/text.tsx";
import { pathInProject } from "../requests/row-list.tsx";
import { hrefOf, useRoute } from "../route.ts";
import { Comparison } from "./comparison.tsx";
import { assertionOf, curlOf, variablesOf } from "./copies.ts";
import { Changes, RequestMessage, ResponseMessage, Why } from "./request-parts.tsx";

/** The parts of an open request. The URL has the name of the open one. */
const tabs = { why: "Why", request: "Request", response: "Response", changes: "Changes", compare: "Compare" } as const;
type TabName = keyof typeof tabs;

const parts: Readonly<Record<TabName, (props: { readonly entry: RequestEntry }) => preact.JSX.Element>> = {
  why: Why,
  request: RequestMessage,
  response: ResponseMessage,
  changes: Changes,
  compare: Comparison,
};

interface RequestProps {
  readonly id: string;
  readonly closeHref: string;
  /** Opens the next (1) or the previous (-1) request of the list. */
  readonly onStep: (by: 1 | -1) => void;
}

/** An open request: the reason for its response, what was sent and received, and what can be done with it. */
export function Request({ id, closeHref, onStep }: RequestProps) {
  const controls = useProject();
  const route = useRoute();
  // Events of these types can remove the request from the journal.
  const loaded = useLoaded(() => controls.requests.get(id), ["journal", "project"], [id]);
  const { value: entry } = loaded;
  // A request never changes. A mock that was restarted uses the same ids again, at other times.
  const identity = entry && `${controls.key} ${entry.id} ${entry.timings.serverTime}`;
  const { compare, tab = compare ? "compare" : "why" } = route.filter;
  const open = Object.hasOwn(tabs, tab) ? (tab as TabName) : "why";
  // The list beside the request renders often, and a body can have thousands of parts.
  const content = useMemo(() => {
    const Part = parts[open];
    return entry && <Part key={`${identity} ${open}`} entry={entry} />;
  }, [identity, open]);
  const hrefOfTab = (name: TabName) =>
    hrefOf({ ...route, filter: { ...route.filter, tab: name, compare: name === "compare" ? (compare ?? "") : "" } });
  return (
    <ItemPane
      noun="Request"
      name={id}
      title={entry && <Title entry={entry} project={route.project === undefined ? controls.key : undefined} />}
      controls={
        <>
          {entry && <Actions entry={entry} />}
          <IconButton label="Previous request (K)" onClick={() => onStep(-1)}>
            ↑
          </IconButton>
          <IconButton label="Next request (J)" onClick={() => onStep(1)}>
            ↓
          </IconButton>
        </>
      }
      head={
        entry && (
          <>
            <Reason entry={entry} />
            <Tabs
              label="Parts of the request"
              tabs={(Object.keys(tabs) as TabName[]).map((name) => ({
                text: tabs[name],
                href: hrefOfTab(name),
                isOpen: name === open,
                count: name === "changes" ? entry.changes.length : undefined,
              }))}
            />
          </>
        )
      }
      closeHref={closeHref}
    >
      {isNotFound(loaded.error) ? (
        <p class="notice" role="status">
          The journal no longer has {entry ? "this request" : `the request ${id}`}: it was cleared, it keeps only the
          newest requests, or the project was reset or deleted.
        </p>
      ) : (
        <Loading of={loaded} lines={8}>
          {() => null}
        </Loading>
      )}
      {content}
    </ItemPane>
  );
}

interface TitleProps {
  readonly entry: RequestEntry;
  readonly project: string | undefined;
}

function Title({ entry: { request, response, timings }, project }: TitleProps) {
  return (
    <>
      <Status of={response.status} /> <span class="verb">{request.method}</span> {pathInProject(request.path)}{" "}
      {project !== undefined && <span class="badge">{project}</span>}{" "}
      <span class="count">
        <Time of={timings.serverTime} />
      </span>
    </>
  );
}

/** The reason for the response, without the status, which the head has. */
function Reason({ entry }: { readonly entry: RequestEntry }) {
  const { key } = useProject();
  const [first = "", ...others] = whyOf(key, entry).reason;
  return (
    <p class="reason">
      <Words of={[typeof first === "string" ? first.replace(/^\d{3}: /, "") : first, ...others]} />{" "}
      {entry.offContract && (
        <span class="badge warning" title="The contract does not restrict this response">
          off contract
        </span>
      )}
    </p>
  );
}

function Actions({ entry }: { readonly entry: RequestEntry }) {
  const { project } = useSession();
  const copy = useCopy();
  const curl = curlOf(entry, location.origin);
  const variables = variablesOf(entry);
  const names = variables.map((name) => `$${name}`).join(" and ");
  return (
    <>
      <a class="button" href={hrefOf({ project, view: "api", filter: { request: entry.id } })}>
        Resend
      </a>
      <Menu label="Commands for this request">
        {() => (
          <>
            {entry.operation !== undefined && (
              <MenuItem
                href={hrefOf({ project, view: "scenarios", filter: { request: entry.id } })}
                title="Opens the form for a rule, filled in from this request"
              >
                Make a rule
              </MenuItem>
            )}
            <MenuItem href={hrefOf({ project, item: entry.id, filter: { tab: "compare" } })}>Compare…</MenuItem>
            <hr />
            {curl === undefined ? (
              <p class="quiet">No cURL: the journal keeps only the start of the body.</p>
            ) : (
              <MenuItem onClick={() => copy(curl, variables.length > 0 ? `Copied. Set ${names} first` : undefined)}>
                Copy as cURL
              </MenuItem>
            )}
            <MenuItem onClick={() => copy(assertionOf(entry), "Copied, for Vitest and Jest")}>
              Copy as assertion
            </MenuItem>
            <MenuItem onClick={() => copy(new URL(hrefOf({ project, item: entry.id }), location.href).href)}>
              Copy link
            </MenuItem>
          </>
        )}
      </Menu>
    </>
  );
}
