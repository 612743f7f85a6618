import { useState } from "preact/hooks";
import type { RequestEntry, Side } from "../../../control/client/index.ts";
import { useLoaded } from "../live/loaded.ts";
import { useProject, useSession } from "../live/session.ts";
import { Button, Failure, Loading, PlainButton, useAction } from "../parts/action.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { ChangeView } from "../parts/differences.tsx";
import { counted, JsonView } from "../parts/text.tsx";
import { useToasts } from "../parts/toasts.tsx";
import { hrefOf } from "../route.ts";

type Change = RequestEntry["changes"][number];

const MAX_LISTED = 100;

/** What a request changed, with controls to see and to restore the state before and after it. */
export function Changes({ entry }: { readonly entry: RequestEntry }) {
  const { changes } = entry;
  if (changes.length === 0) return <p class="quiet">This request changed nothing.</p>;
  const more = changes.length - MAX_LISTED;
  return (
    <section class="request-changes" aria-label="What it changed">
      <Moments entry={entry} />
      {changes.slice(0, MAX_LISTED).map((change, index) => (
        <div key={index}>
          <h3>
            <Changed change={change} />
          </h3>
          <ChangeView {...change} unit={change.image === undefined ? undefined : "bytes"} />
        </div>
      ))}
      {more > 0 && <p class="quiet">And {counted(more, "further change")}.</p>}
    </section>
  );
}

function Changed({ change }: { readonly change: Change }) {
  const { project } = useSession();
  const { resource, image, from, to, before, after } = change;
  const [old, next] = resource === undefined ? [before, after] : [from, to];
  const part = image === undefined ? "action" : "images";
  const route = resource === undefined ? { filter: { part } } : { item: resource };
  return (
    <>
      <a href={hrefOf({ project, view: "state", ...route })}>
        {resource ?? (image === undefined ? "Namespace action" : `Image ${image}`)}
      </a>{" "}
      {old === null ? "created" : next === null ? "deleted" : resource === undefined ? "changed" : `${from} → ${to}`}
    </>
  );
}

function Moments({ entry }: { readonly entry: RequestEntry }) {
  const controls = useProject();
  const toasts = useToasts();
  const action = useAction();
  const [shown, setShown] = useState<Side>();
  const { method, path } = entry.request;
  const name = `${method} ${path.slice(0, 100)}`;
  const rewind = async (to: Side) => {
    const { undo } = await controls.rewind(entry.id, to);
    toasts.show(`Rewound to ${to} ${name}`, () => controls.rewind(undo));
  };
  return (
    <>
      <div class="bar">
        <PlainButton onClick={() => setShown("before")}>State before</PlainButton>
        <PlainButton onClick={() => setShown("after")}>State after</PlainButton>
        <Button action={action} run={() => rewind("before")}>
          Rewind to before
        </Button>
        <Button action={action} run={() => rewind("after")}>
          Rewind to after
        </Button>
      </div>
      <Failure of={action} />
      {shown && (
        <Dialog title={`State ${shown} ${name}`} kind="wide" onClose={() => setShown(undefined)}>
          <StateAt id={entry.id} side={shown} />
        </Dialog>
      )}
    </>
  );
}

function StateAt({ id, side }: { readonly id: string; readonly side: Side }) {
  const controls = useProject();
  const loaded = useLoaded(() => controls.state.at(id, side));
  return <Loading of={loaded}>{(state) => <JsonView value={state} label={`State ${side} the request`} />}</Loading>;
}
