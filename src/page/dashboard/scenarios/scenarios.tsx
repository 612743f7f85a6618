import type { ComponentChildren } from "preact";
import type { AddedRule, ResourceRecord, Rule } from "../../../control/client/index.ts";
import { useLoaded } from "../live/loaded.ts";
import { useProject, useSession } from "../live/session.ts";
import { isNotFound, Loading } from "../parts/action.tsx";
import { useShortcuts } from "../parts/shortcuts.tsx";
import { ruleOf } from "../request/copies.ts";
import { hrefOf, navigate, type Route, useRoute } from "../route.ts";
import { RuleEditor } from "./rule-editor.tsx";
import { Rules } from "./rules.tsx";
import { ScenarioDetail } from "./scenario-detail.tsx";
import { ScenarioList } from "./scenario-list.tsx";

const ruleId = /^r-\d+$/;

/**
 * The rules and scenarios of a project, or the scenarios for all projects. The item of the route is the name of an open
 * scenario or the id of a rule. The filter can have the open `scenario` too, or the form for a `rule`: `new`, the id of the
 * rule to edit, or `copy-` and the id of the rule to copy. With `request` or `resource`, the form has a rule from it.
 */
export function Scenarios() {
  const { project } = useSession();
  const route = useRoute();
  const { scenario: named, rule, request, resource, shown, ...others } = route.filter;
  const { item } = route;
  const isRule = item !== undefined && ruleId.test(item);
  const scenario = named || (isRule ? undefined : item);
  const list: Route = { ...route, item: undefined, owner: undefined, filter: others };
  // The list puts the focus on the rule that was open.
  const [opened] = /r-\d+$/.exec(rule ?? "") ?? [];
  const back: Route = opened === undefined ? list : { ...list, filter: { ...others, shown: opened } };
  const hasForm = Boolean(rule || request || resource);
  useShortcuts({ Escape: { does: "Close what is open", run: () => (scenario || hasForm) && navigate(back) } });

  if (project !== undefined && hasForm) {
    const props = {
      closeHref: hrefOf(back),
      onSaved: ({ id }: AddedRule) => navigate({ ...list, filter: { ...others, shown: id } }),
    };
    return (
      <div class="view rule-view">
        {request ? (
          <FromRequest {...props} request={request} />
        ) : resource ? (
          <FromResource {...props} resource={resource} />
        ) : (
          <OpenRule {...props} rule={rule ?? "new"} />
        )}
      </div>
    );
  }
  return (
    <div class={scenario ? "panes open" : "panes"}>
      <div class="pane scenarios">
        {project !== undefined && <Rules route={list} shown={isRule ? item : shown} />}
        <ScenarioList route={list} open={scenario} />
      </div>
      {scenario && <ScenarioDetail key={scenario} name={scenario} closeHref={hrefOf(list)} />}
    </div>
  );
}

interface FormProps {
  readonly closeHref: string;
  readonly onSaved: (saved: AddedRule) => void;
}

const example: Rule = { operation: "getResourceById", times: 1, respond: { status: 503 } };

/** The form for a new rule, a copy of a rule, or a rule to edit. */
function OpenRule({ rule: name, ...props }: FormProps & { rule: string }) {
  const controls = useProject();
  // The form keeps the rule as it was when the user opened it.
  const rules = useLoaded(() => controls.rules.list());
  if (name === "new") return <RuleEditor {...props} name="new" title="New rule" initial={example} />;
  const [, copied] = /^copy-(.+)$/.exec(name) ?? [];
  return (
    <Loading of={rules} lines={12}>
      {(list) => {
        const known = list.find(({ id }) => id === (copied ?? name));
        if (!known) return <NotFound {...props}>The project has no rule {copied ?? name}.</NotFound>;
        const form = { ...props, key: name, name, initial: known.rule };
        if (copied !== undefined) return <RuleEditor {...form} title={`Copy of ${copied}`} />;
        const notice = "The edited rule gets a new id, starts to count again, and applies first.";
        return <RuleEditor {...form} title={`Edit ${name}`} replaces={name} notice={notice} />;
      }}
    </Loading>
  );
}

/** The form for a rule that matches a request and returns its response. */
function FromRequest({ request, ...props }: FormProps & { request: string }) {
  const controls = useProject();
  const entry = useLoaded(() => controls.requests.get(request), [], [request]);
  if (isNotFound(entry.error)) return <NotFound {...props}>The journal no longer has the request {request}.</NotFound>;
  return (
    <Loading of={entry} lines={12}>
      {(found) => {
        const made = ruleOf(found);
        if (made.reason !== undefined) {
          return <NotFound {...props}>A rule cannot repeat this response: {made.reason}.</NotFound>;
        }
        const { method, path } = found.request;
        return (
          <RuleEditor
            key={request}
            {...props}
            name={`request ${request}`}
            title="Rule from a request"
            notice={`From ${method} ${path}, status ${found.response.status}. Remove the conditions that the rule does not need.`}
            initial={{ ...made.rule, times: 1 }}
          />
        );
      }}
    </Loading>
  );
}

/** The form for a rule that always returns a resource as it is now. */
function FromResource({ resource, ...props }: FormProps & { resource: string }) {
  const controls = useProject();
  const loaded = useLoaded(() => controls.resources.get(resource), [], [resource]);
  if (isNotFound(loaded.error)) return <NotFound {...props}>The project has no resource {resource}.</NotFound>;
  return (
    <Loading of={loaded} lines={12}>
      {(found) => (
        <RuleEditor
          key={resource}
          {...props}
          name={`resource ${resource}`}
          title="Rule from a resource"
          notice="Every read gets the resource as it is now. Change the body in the JSON."
          initial={ruleOfResource(found)}
        />
      )}
    </Loading>
  );
}

function ruleOfResource({ id, version, objectTypeProperty }: ResourceRecord): Rule {
  return {
    operation: "getResourceById",
    when: { path: { id } },
    respond: { status: 200, body: { version, objectTypeProperty } },
  };
}

function NotFound({ children, closeHref }: { children: ComponentChildren; closeHref: string }) {
  return (
    <p>
      {children} <a href={closeHref}>Back to the list</a>
    </p>
  );
}
