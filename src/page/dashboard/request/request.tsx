import { useMemo } from "preact/hooks";
import { whyOf } from "../../../journal/index.ts";
import { useLoaded, useProject, useSession } from "../live/session.ts";
import { isNotFound, Loading } from "../parts/action.tsx";
import { useCopy } from "../parts/files.tsx";
import { ItemPane, Menu, MenuItem, Tabs } from "../parts/layout.tsx";
import { Method, Status, Words } from "../parts/text.tsx";
import { pathInProject } from "../requests/row-list.tsx";
import { hrefOf, useRoute } from "../route.ts";
import { Comparison } from "./comparison.tsx";
import { assertionOf, curlOf, variablesOf } from "./copies.ts";
import { Changes, type PartProps, RequestMessage, ResponseMessage, usePlaces, Why } from "./request-parts.tsx";

/** The parts of an open request, by their names in the URL. */
const parts = {
  why: { text: "Why", Part: Why },
  request: { text: "Request", Part: RequestMessage },
  response: { text: "Response", Part: ResponseMessage },
  changes: { text: "Changes", Part: Changes },
  compare: { text: "Compare", Part: Comparison },
};
type PartName = keyof typeof parts;

/** An open request: the reason for its response, what was sent and received, and what can be done with it. */
export function Request({ id, closeHref }: { readonly id: string; readonly closeHref: string }) {
  const controls = useProject();
  const route = useRoute();
  // Events of these types can remove the request from the journal.
  const loaded = useLoaded(() => controls.requests.get(id), ["journal", "project"], [id]);
  const { value: entry } = loaded;
  // A request never changes. A mock that was restarted uses the same ids again, at other times.
  const identity = entry && `${controls.key} ${entry.id} ${entry.timings.serverTime}`;
  const { compare, tab = compare ? "compare" : "why" } = route.filter;
  const open = Object.hasOwn(parts, tab) ? (tab as PartName) : "why";
  // The list beside the request renders often, and a body can have thousands of parts.
  const content = useMemo(() => {
    const { Part } = parts[open];
    return entry && <Part key={`${identity} ${open}`} entry={entry} />;
  }, [identity, open]);
  return (
    <ItemPane
      noun="Request"
      name={id}
      title={
        entry && (
          <>
            <Status of={entry.response.status} /> <Method name={entry.request.method} />{" "}
            {pathInProject(entry.request.path, controls.key)}{" "}
            {route.project === undefined && <span class="badge">{controls.key}</span>}
          </>
        )
      }
      controls={entry && <Actions entry={entry} />}
      head={
        entry && (
          <>
            <Reason entry={entry} />
            <Tabs
              label="Parts of the request"
              tabs={Object.entries(parts).map(([name, { text }]) => ({
                text,
                href: hrefOf({ ...route, filter: { ...route.filter, tab: name } }),
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
          The journal no longer has the request {id}. It keeps the newest requests, until a clear or a reset.
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

/** The reason for the response, without the status, which the head has. */
function Reason({ entry }: PartProps) {
  const { key } = useProject();
  const [first = "", ...others] = whyOf(key, entry, usePlaces(entry)).reason;
  return (
    <p class="reason">
      <Words of={[typeof first === "string" ? first.replace(/^\d{3}: /, "") : first, ...others]} />{" "}
      {entry.offContract && <span class="badge warning">off contract</span>}
    </p>
  );
}

function Actions({ entry }: PartProps) {
  const { project } = useSession();
  const copy = useCopy();
  const curl = curlOf(entry, location.origin);
  const variables = variablesOf(entry).map((name) => `$${name}`);
  const from = { project, filter: { request: entry.id } };
  return (
    <>
      <a class="button" href={hrefOf({ ...from, view: "api" })}>
        Resend
      </a>
      <Menu label="Commands for this request">
        {() => (
          <>
            {entry.operation !== undefined && (
              <MenuItem href={hrefOf({ ...from, view: "mocks" })}>Make a rule</MenuItem>
            )}
            {curl !== undefined && (
              <MenuItem
                onClick={() =>
                  copy(curl, variables.length > 0 ? `Copied. Set ${variables.join(" and ")} first` : undefined)
                }
              >
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
