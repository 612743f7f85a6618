import { useProject, useSession } from "../live/session.ts";
import { Failure, useAction } from "../parts/action.tsx";
import { CopyButton } from "../parts/files.tsx";
import { hrefOf, navigate } from "../route.ts";

/** Shown while there are no requests: the base URL, and buttons that send the first ones. */
export function Learn() {
  const { project: key = "demo" } = useSession();
  const controls = useProject(key);
  const { baseUrl } = controls;
  const action = useAction();
  const send = () =>
    action.run(async () => {
      const response = await fetch(`${baseUrl}/resource/my-id`);
      const id = response.headers.get("Mock-Request-Id");
      navigate({ project: key, item: id ?? undefined });
    });
  const fail = () =>
    action.run(async () => {
      await controls.use("server-error", { times: 1 });
      await send();
    });
  const curl = `curl ${baseUrl}/resource/my-id`;
  return (
    <div class="learn">
      <h2>No requests yet</h2>
      <p>Set this base URL in your client. Its requests appear here live, each with the reason for its response.</p>
      <p class="notice calm bar">
        <code class="key">{baseUrl}</code>
        <CopyButton text={() => baseUrl}>Copy</CopyButton>
      </p>
      <div class="bar">
        <button type="button" class="primary" onClick={send} aria-disabled={action.isInProgress || undefined}>
          Send a first request
        </button>
        <button type="button" onClick={fail} aria-disabled={action.isInProgress || undefined}>
          Make it fail
        </button>
        <a class="button" href={hrefOf({ project: key, view: "api" })}>
          Open the API
        </a>
      </div>
      <Failure of={action} />
      <p class="quiet">
        The first part of the path, {key}, is the project: each project has its own state, settings, clock and requests,
        and is created by its first use. “Make it fail” activates the scenario server-error for one request.
      </p>
      <pre>{curl}</pre>
    </div>
  );
}
