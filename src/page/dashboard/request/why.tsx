import type { RequestEntry } from "../../../control/client/index.ts";
import { whyOf } from "../../../journal/index.ts";
import { useSession } from "../live/session.ts";
import { Facts, Words } from "../parts/text.tsx";
import { inUnits, Time } from "../parts/time.tsx";
import { hrefOf } from "../route.ts";

/** What led to the response: further sentences, violations, the decisions in their order, and facts. */
export function Why({ entry }: { readonly entry: RequestEntry }) {
  const { project = "" } = useSession();
  const { decisions, violations, upstream } = entry;
  return (
    <>
      {whyOf(project, entry).more.map((sentence, index) => (
        <p key={index}>
          <Words of={sentence} />
        </p>
      ))}
      <Violations title="Contract violations" of={violations} />
      <Violations title="Contract violations of the upstream" of={upstream?.violations.response ?? []} />
      <Violations
        title="Differs from the assumptions of the mock"
        of={(upstream?.differs ?? []).map(({ assumption, ...each }) => ({ ...each, code: assumption }))}
      />
      <h3>Decisions</h3>
      <ol class="request-decisions">
        {decisions.map((decision, index) => (
          <li key={index}>{decision}</li>
        ))}
      </ol>
      <FactsOf entry={entry} />
    </>
  );
}

function Violations({ title, of }: { readonly title: string; readonly of: RequestEntry["violations"] }) {
  if (of.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul class="plain request-violations">
        {of.map(({ code, message }, index) => (
          <li key={index}>
            {message} <span class="quiet">{code}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

/** Project and server clocks that differ by less are the same, in milliseconds. */
const SAME_CLOCK_MS = 50;

function FactsOf({ entry }: { readonly entry: RequestEntry }) {
  const { project } = useSession();
  const { id, operation, source, unnamed, timings, changes, request } = entry;
  const { serverTime, receivedAt, duration } = timings;
  const changed = changes.find(({ resource }) => resource !== undefined)?.resource ?? request.pathParameters.id;
  const ahead = Date.parse(receivedAt) - Date.parse(serverTime);
  const links = changed !== undefined && (
    <>
      <a href={hrefOf({ project, view: "state", item: changed })}>{changed} and its history</a>
      {" · "}
      <a href={hrefOf({ project, filter: { changed } })}>requests that changed it</a>
    </>
  );
  const clock = Math.abs(ahead) > SAME_CLOCK_MS && (
    <>
      <Time of={receivedAt} as="full" />{" "}
      <span class="quiet">
        ({inUnits(Math.abs(ahead), 1)} {ahead > 0 ? "ahead of" : "behind"} the server’s clock)
      </span>
    </>
  );
  const facts = [
    ["Operation", operation ?? "no operation matches"],
    ["Resource", links],
    ["Source", source],
    ["Received", <Time key="received" of={serverTime} as="full" />],
    ["Project’s clock", clock],
    ["Duration", `${duration.toLocaleString("en", { maximumFractionDigits: 1 })} ms`],
    ["Unknown query", unnamed.length > 0 && `${unnamed.join(", ")} (not in the contract)`],
    ["Id", <code key="id">{id}</code>],
  ] as const;
  return <Facts of={facts} />;
}
