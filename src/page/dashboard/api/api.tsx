import { useMemo } from "preact/hooks";
import type { OperationSummary } from "../../../contract/index.ts";
import { controlOperations, operationOf, useOperationLines } from "../live/contract.ts";
import { useLoaded, useProject, useSession } from "../live/session.ts";
import { Loading, unlessNotFound } from "../parts/action.tsx";
import { ItemPane, Tabs } from "../parts/layout.tsx";
import { Inline, Markdown } from "../parts/markdown.tsx";
import { Facts, Method } from "../parts/text.tsx";
import { hrefOf, type Route, useRoute } from "../route.ts";
import { type ApiOperation, accessOf } from "./document.ts";
import { type Line, OperationList } from "./operation-list.tsx";
import { Reference } from "./reference.tsx";
import { Try } from "./try.tsx";

/** A recorded request that matches no operation. */
const unmatched: ApiOperation = {
  ...{ api: "service", tags: [], id: "", method: "GET", path: "", summary: "Request to an unknown operation" },
  ...{ security: [], schemes: {}, parameters: [], responses: [], requestBody: { content: {} } },
};

/**
 * The operations of the service or, with `api=control` in the filter, of the control API. The item of the route is the id
 * of the open operation. With `request` in the filter, the form has this recorded request.
 */
export function Api() {
  const session = useSession();
  const { item, filter } = useRoute();
  const service = useOperationLines();
  const isOther = filter.api === "control" || (service.value && item && !service.value.some(({ id }) => id === item));
  const control = useLoaded(async () => (isOther ? controlOperations(session) : undefined), [], [Boolean(isOther)]);
  if (isOther) return <Loading of={control}>{(all) => all && <Operations api="control" operations={all} />}</Loading>;
  return <Loading of={service}>{(lines) => <Operations api="service" operations={lines} />}</Loading>;
}

/** The most operations that are listed as used. */
const MAX_USED = 10;

interface OperationsProps {
  readonly api: ApiOperation["api"];
  readonly operations: readonly (ApiOperation | OperationSummary)[];
}

function Operations({ api, operations }: OperationsProps) {
  const { project } = useSession();
  const { item, filter } = useRoute();
  const isControl = api === "control";
  const projectParameter = isControl ? "projectKey" : projectParameterOf(operations);
  const lines = useMemo(() => operations.map((each) => lineOf(each, isControl, projectParameter)), [operations]);
  const controls = useProject();
  const { value } = useLoaded(async () => (project === undefined ? undefined : controls.coverage()));
  const used = useMemo(() => {
    const counts = new Map(value?.operations.map(({ operation, requests }) => [operation, requests]));
    const countOf = ({ id }: Line) => counts.get(id) ?? 0;
    const all = lines.filter((line) => countOf(line) > 0).toSorted((a, b) => countOf(b) - countOf(a));
    return all.slice(0, MAX_USED);
  }, [lines, value]);
  const routeOf = (shown: string, id?: string): Route => ({
    ...{ project, view: "api", item: id, filter: shown === "control" ? { api: shown } : {} },
  });
  const isOpen = item !== undefined || filter.request !== undefined;
  return (
    <div class={isOpen ? "panes open api" : "panes api"}>
      <nav class="pane operations" aria-label="Operations">
        <Tabs
          label="APIs"
          tabs={Object.entries({ service: "Service", control: "Control API" }).map(([each, text]) => ({
            ...{ text, href: hrefOf(routeOf(each)), isOpen: api === each },
          }))}
        />
        <OperationList key={api} {...{ lines, used, isOpen }} selected={item} routeOf={(id) => routeOf(api, id)} />
      </nav>
      {isOpen && (
        <Opened
          key={filter.request ?? item}
          {...{ operations, lines, projectParameter, id: item, request: filter.request }}
          closeHref={hrefOf(routeOf(api))}
        />
      )}
    </div>
  );
}

/** Returns the parameter that is the project: all paths begin with it. */
function projectParameterOf(operations: readonly { readonly path: string }[]): string | undefined {
  const [name, ...others] = new Set(operations.map(({ path }) => /^\/\{([^{}]+)\}(?:\/|$)/.exec(path)?.[1]));
  return others.length === 0 ? name : undefined;
}

function lineOf(operation: ApiOperation | OperationSummary, isControl: boolean, projectParameter?: string): Line {
  const { id, method, summary } = operation;
  const start = isControl ? "/__admin" : `/{${projectParameter}}`;
  const path = operation.path.startsWith(start) ? operation.path.slice(start.length) || "/" : operation.path;
  const { tag, role, reason } = "tags" in operation ? { tag: operation.tags[0], role: "", reason: "" } : operation;
  return { id, method, path, summary: summary || id, tag, role, reason };
}

interface OpenedProps extends Pick<OperationsProps, "operations"> {
  readonly lines: readonly Line[];
  readonly id: string | undefined;
  /** The id of the recorded request in the form. */
  readonly request: string | undefined;
  readonly closeHref: string;
  readonly projectParameter: string | undefined;
}

function Opened({ id, request, operations, lines, closeHref, projectParameter }: OpenedProps) {
  const session = useSession();
  const controls = useProject();
  const loaded = useLoaded(async () => {
    const entry = request === undefined ? undefined : await controls.requests.get(request).catch(unlessNotFound);
    const known = operations.find((each) => each.id === (id ?? entry?.operation));
    const operation = !known || "parameters" in known ? known : await operationOf(session, known.id);
    return { entry, operation: operation ?? (entry && unmatched) };
  });
  const { entry, operation } = loaded.value ?? {};
  const line = lines.find((each) => each.id === (operation?.id ?? id));
  return (
    <ItemPane
      noun="Operation"
      name={id ?? request ?? ""}
      title={entry ? `Send again: ${entry.request.method} ${entry.request.path}` : line?.summary}
      closeHref={closeHref}
      head={
        line && (
          <div class="bar">
            <Method name={line.method} /> <code>{line.path}</code>
          </div>
        )
      }
    >
      <Loading of={loaded} lines={8}>
        {() =>
          operation ? (
            <>
              {!entry && <About {...{ operation, line }} />}
              <Try {...{ operation, projectParameter }} recorded={entry} />
              <Reference operation={operation} />
            </>
          ) : (
            <p class="notice">
              {request === undefined
                ? `Operation ${id} not found.`
                : `The journal no longer has the request ${request}.`}
            </p>
          )
        }
      </Loading>
    </ItemPane>
  );
}

/** What an operation does, and who can call it. */
function About({ operation, line }: { readonly operation: ApiOperation; readonly line: Line | undefined }) {
  const { deprecated, description = "", summary } = operation;
  return (
    <>
      <Facts
        of={[
          ["State", line?.role && `${line.role} · ${line.reason}`],
          ["Access", <Inline key="access" text={accessOf(operation)} />],
          ["Deprecated", deprecated && "Yes: clients should not use it."],
        ]}
      />
      {description !== "" && description !== summary && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by key.
        <article class="description" aria-label="Description" tabIndex={0}>
          <Markdown text={description} />
        </article>
      )}
    </>
  );
}
