import { useLayoutEffect, useRef } from "preact/hooks";
import { whyOf } from "../../../journal/index.ts";
import { useLoaded } from "../live/loaded.ts";
import { useProject } from "../live/session.ts";
import { Fold } from "../parts/fold.tsx";
import { Loading } from "../parts/loading.tsx";
import { Code } from "../parts/text.tsx";
import { hrefOf } from "../route.ts";
import type { Received } from "./exchange.ts";

interface ResponseProps {
  readonly received?: Received;
  readonly failure?: string;
  readonly isSending: boolean;
  /** The project whose journal has the request. */
  readonly project?: string;
}

/** The response to the last request, always beside the form. Its status gets the focus. */
export function Response({ received, failure, isSending, project }: ResponseProps) {
  const status = useRef<HTMLHeadingElement>(null);
  const hasStatus = received !== undefined;
  useLayoutEffect(() => {
    if (hasStatus) status.current?.focus();
  }, [hasStatus]);
  // Responses of the control API have no id.
  const id = received && new Map(received.headers).get("mock-request-id");
  return (
    <section class="try-response" aria-label="Response">
      {/* Screen readers read the status. The body may be long. */}
      <div role="status">
        {received && (
          <h3 ref={status} tabIndex={-1}>
            <span class="status" data-class={Math.floor(received.status / 100)}>
              {received.status}
            </span>{" "}
            {received.statusText} <span class="quiet">{Math.round(received.duration)} ms</span>
          </h3>
        )}
        {failure && <p class="failure">{failure}</p>}
        {!received && !failure && <p class="quiet">{isSending ? "Sending…" : "The response appears here."}</p>}
      </div>
      {project !== undefined && id !== undefined && id !== "none" && <Why key={id} project={project} id={id} />}
      {received && <Content received={received} />}
    </section>
  );
}

function Content({ received: { headers, text, image, isCut, isOpen } }: { readonly received: Received }) {
  return (
    <>
      {image && <img src={image} alt="The body of the response" />}
      {text !== "" && <Code text={text} label="Response body" />}
      {text === "" && !image && !isOpen && <p class="quiet">No body.</p>}
      {isCut && <p class="quiet">The body is longer. The page shows its first 256 KiB.</p>}
      <Fold title={`${headers.length} headers`}>
        {() => <Code text={headers.map(([name, value]) => `${name}: ${value}`).join("\n")} label="Response headers" />}
      </Fold>
    </>
  );
}

/** The reason for a response, from the journal. */
function Why({ project, id }: { readonly project: string; readonly id: string }) {
  const { requests } = useProject(project);
  const entry = useLoaded(
    () => requests.get(id),
    () => false,
  );
  return (
    <section class="try-why" aria-label="Why">
      <Loading of={entry} lines={2}>
        {(found) => (
          <p>
            {whyOf(project, found).reason.map((part, index) =>
              typeof part === "string" ? (
                part
              ) : (
                <a key={index} href={hrefOf(part.to)}>
                  {part.text}
                </a>
              ),
            )}
          </p>
        )}
      </Loading>
      <a href={hrefOf({ project, view: "requests", item: id })}>Open this request</a>
    </section>
  );
}
