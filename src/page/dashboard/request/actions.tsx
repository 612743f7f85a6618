import { useState } from "preact/hooks";
import type { RequestEntry } from "../../../control/client/index.ts";
import { useProject } from "../live/session.ts";
import { Button, Failure, useAction } from "../parts/action.tsx";
import { CopyButton } from "../parts/copy.tsx";
import { useToasts } from "../parts/toasts.tsx";
import { hrefOf, navigate, type Route, useRoute } from "../route.ts";
import { assertionOf } from "./assertion.ts";
import { ComparePicker } from "./compare-picker.tsx";
import { curlOf, variablesOf } from "./curl.ts";
import { ResendForm } from "./resend-form.tsx";
import { ruleOf } from "./rule.ts";
import { draftOf, send } from "./send.ts";

interface ActionsProps {
  readonly project: string;
  readonly entry: RequestEntry;
}

/** What can be done with a request: copy, send again, make a rule, compare. */
export function Actions({ project, entry }: ActionsProps) {
  const controls = useProject(project);
  const toasts = useToasts();
  const route = useRoute();
  const action = useAction();
  const [open, setOpen] = useState<"edit" | "compare">();
  const curl = curlOf(entry, location.origin);
  const variables = variablesOf(entry);
  const { rule, reason } = { rule: undefined, ...ruleOf(entry) };
  const cannot = [
    ...(curl === undefined
      ? ["The request cannot be copied as cURL or sent again: the journal keeps only the start of its body."]
      : []),
    ...(rule ? [] : [`It cannot be copied as a rule: ${reason}.`]),
  ];

  const resend = async () => {
    const { auth } = await controls.settings.get();
    const draft = draftOf(entry, auth === "strict");
    const id = await send(controls, { ...draft, body: entry.request.body });
    if (id === undefined) throw new Error("The mock did not record the request.");
    toasts.show(draft.hasNewToken ? "Sent again, with a new token of the project" : "Sent again");
    navigate(routeOfRequest(route, project, id));
  };
  const compareWithPrevious = async () => {
    const { requests } = await controls.requests.page({
      path: entry.request.path,
      before: entry.id,
      limit: 1,
      brief: true,
    });
    const [previous] = requests;
    if (!previous) throw new Error("The journal has no earlier request to this path.");
    compare(previous.id);
  };
  const compare = (id: string) => {
    setOpen(undefined);
    navigate({ ...route, filter: { ...route.filter, compare: id } });
  };
  return (
    <div class="request-actions">
      <div class="bar">
        <fieldset class="group" aria-label="Copy">
          <span class="quiet">Copy as</span>
          {curl !== undefined && (
            <CopyButton
              text={() => curl}
              done={
                variables.length > 0
                  ? `Copied. Set ${variables.map((name) => `$${name}`).join(" and ")} first`
                  : "Copied"
              }
            >
              <Hidden>Copy as </Hidden>cURL
            </CopyButton>
          )}
          {rule && (
            <CopyButton text={() => JSON.stringify(rule, undefined, 2)} done="Copied: the body for POST …/rules">
              <Hidden>Copy as </Hidden>rule
            </CopyButton>
          )}
          <CopyButton text={() => assertionOf(entry)} done="Copied, for Vitest and Jest">
            <Hidden>Copy as </Hidden>assertion
          </CopyButton>
          <CopyButton text={() => new URL(hrefOf({ project, item: entry.id }), location.href).href}>
            <Hidden>Copy </Hidden>link
          </CopyButton>
        </fieldset>
        {entry.operation !== undefined && (
          <button
            type="button"
            onClick={() => navigate({ project, view: "scenarios", filter: { request: entry.id } })}
            title="Opens the form for a rule, filled in from this request"
          >
            Make a rule
          </button>
        )}
      </div>
      <div class="bar">
        <fieldset class="group" aria-label="Send again">
          {curl !== undefined && (
            <Button action={action} run={resend}>
              Resend
            </Button>
          )}
          <button type="button" onClick={() => setOpen("edit")}>
            Edit and resend
          </button>
        </fieldset>
        <fieldset class="group" aria-label="Compare">
          <span class="quiet">Compare</span>
          <Button action={action} run={compareWithPrevious}>
            <Hidden>Compare with </Hidden>previous
          </Button>
          <button type="button" onClick={() => setOpen("compare")}>
            <Hidden>Compare with </Hidden>other…
          </button>
        </fieldset>
      </div>
      <Failure of={action} />
      {cannot.length > 0 && <p class="quiet">{cannot.join(" ")}</p>}
      {open === "edit" && (
        <ResendForm
          project={project}
          entry={entry}
          onSent={(id) => {
            setOpen(undefined);
            navigate(routeOfRequest(route, project, id));
          }}
          onClose={() => setOpen(undefined)}
        />
      )}
      {open === "compare" && (
        <ComparePicker project={project} entry={entry} onPick={compare} onClose={() => setOpen(undefined)} />
      )}
    </div>
  );
}

/** Text for screen readers only: the group shows it once for all of its buttons. */
export function Hidden({ children }: { children: string }) {
  return <span class="hidden">{children}</span>;
}

/** Returns the route of another request, beside the same list. */
function routeOfRequest(route: Route, project: string, id: string): Route {
  return { ...route, owner: project, item: id, filter: { ...route.filter, compare: "" } };
}
