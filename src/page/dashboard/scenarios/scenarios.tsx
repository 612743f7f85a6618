import type { AddedRule, ProjectControl, ResourceRecord, Rule } from "../../../control/client/index.ts";
import { useLoaded } from "../live/loaded.ts";
import { useProject, useSession } from "../live/session.ts";
import { Loading, unlessNotFound } from "../parts/action.tsx";
import { useShortcuts } from "../parts/shortcuts.tsx";
import { ruleOf } from "../request/copies.ts";
import { hrefOf, navigate, type Route, useRoute } from "../route.ts";
import { type EditorProps, RuleEditor } from "./rule-editor.tsx";
import { Rules } from "./rules.tsx";
import { ScenarioDetail } from "./scenario-detail.tsx";
import { ScenarioList } from "./scenario-list.tsx";

const ruleId = /^r-\d+$/;

/**
 * The rules and scenarios of a project, or the scenarios for all projects. The item of the route is the name of an open
 * scenario or the id of a rule. The filter can have the open `scenario` too, or the form for a `rule`: `new`, or the id
 * of the rule to edit. With `request` or `resource`, the form has a rule from it.
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
  const back: Route = rule && ruleId.test(rule) ? { ...list, filter: { ...others, shown: rule } } : list;
  const hasForm = Boolean(rule || request || resource);
  useShortcuts({ Escape: { does: "Close what is open", run: () => (scenario || hasForm) && navigate(back) } });

  if (project !== undefined && hasForm) {
    return (
      <RuleForm
        key={`${rule} ${request} ${resource}`}
        {...{ rule, request, resource }}
        closeHref={hrefOf(back)}
        onSaved={({ id }) => navigate({ ...list, filter: { ...others, shown: id } })}
      />
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

interface FormProps extends Source {
  readonly closeHref: string;
  readonly onSaved: (saved: AddedRule) => void;
}

/** The form for a rule, which begins with a rule, a request or a resource. It keeps that as it was. */
function RuleForm({ closeHref, onSaved, ...source }: FormProps) {
  const controls = useProject();
  const start = useLoaded(() => startOf(controls, source));
  return (
    <div class="view rule-view">
      <Loading of={start} lines={12}>
        {(found) =>
          typeof found === "string" ? (
            <p>
              {found} <a href={closeHref}>Back to the list</a>
            </p>
          ) : (
            <RuleEditor {...found} closeHref={closeHref} onSaved={onSaved} />
          )
        }
      </Loading>
    </div>
  );
}

interface Source {
  /** `new`, or the id of the rule to edit. */
  readonly rule?: string;
  /** The id of a request: the rule matches it and returns its response. */
  readonly request?: string;
  /** The id of a resource: the rule returns it as it is now. */
  readonly resource?: string;
}

type Start = Pick<EditorProps, "name" | "title" | "initial" | "notice" | "replaces">;

/** Returns the contents of a new form, or a text that says what is missing. */
async function startOf(controls: ProjectControl, { rule = "new", request, resource }: Source): Promise<Start | string> {
  if (request) {
    const found = await controls.requests.get(request).catch(unlessNotFound);
    if (!found) return `The journal no longer has the request ${request}.`;
    const made = ruleOf(found);
    if (made.reason !== undefined) return `A rule cannot repeat this response: ${made.reason}.`;
    const from = `From ${found.request.method} ${found.request.path}, status ${found.response.status}.`;
    const notice = `${from} Remove the conditions that the rule does not need.`;
    return { name: `request ${request}`, title: "Rule from a request", notice, initial: { ...made.rule, times: 1 } };
  }
  if (resource) {
    const found = await controls.resources.get(resource).catch(unlessNotFound);
    if (!found) return `The project has no resource ${resource}.`;
    const notice = "Every read gets the resource as it is now. Change the body in the JSON.";
    return { name: `resource ${resource}`, title: "Rule from a resource", notice, initial: ruleOfResource(found) };
  }
  if (rule === "new") return { name: rule, title: "New rule", initial: example };
  const known = (await controls.rules.list()).find(({ id }) => id === rule);
  if (!known) return `The project has no rule ${rule}.`;
  const notice = "The edited rule gets a new id, starts to count again, and applies first.";
  return { name: rule, initial: known.rule, title: `Edit ${rule}`, replaces: rule, notice };
}

const example: Rule = { operation: "getResourceById", times: 1, respond: { status: 503 } };

function ruleOfResource({ id, version, objectTypeProperty }: ResourceRecord): Rule {
  return {
    operation: "getResourceById",
    when: { path: { id } },
    respond: { status: 200, body: { version, objectTypeProperty } },
  };
}
