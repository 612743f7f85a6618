import { useLoaded } from "../live/loaded.ts";
import { useProject } from "../live/session.ts";
import { Loading } from "../parts/action.tsx";
import { JsonView } from "../parts/text.tsx";
import { hrefOf } from "../route.ts";

/** The body of the custom action. The API view sets and deletes it. */
export function NamespaceAction() {
  const { key: project, namespaceAction } = useProject();
  const loaded = useLoaded(() => namespaceAction.get(), ["state", "rewound"]);
  const link = (item: string, text: string) => (
    <a class="button" href={hrefOf({ project, view: "api", item })}>
      {text}
    </a>
  );
  return (
    <section aria-label="Namespace action">
      <p class="quiet">
        <code>GET …/namespace-action</code> returns the last body that a client has sent to{" "}
        <code>POST …/namespace-action</code>. Without such a body, it returns its fixture.
      </p>
      <Loading of={loaded}>
        {({ body }) => (body === undefined ? <p>No stored value.</p> : <JsonView value={body} label="Stored value" />)}
      </Loading>
      <div class="bar">
        {link("setNamespaceAction", "Set the value")}
        {link("clearNamespaceAction", "Delete the value")}
      </div>
    </section>
  );
}
