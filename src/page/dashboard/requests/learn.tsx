import { useProject, useSession } from "../live/session.ts";
import { Button, Failure, useAction } from "../parts/action.tsx";
import { CopyButton } from "../parts/files.tsx";
import { hrefOf, navigate } from "../route.ts";

/** Shown while there are no requests: the base URL, and buttons that send the first ones. */
export function Learn() {
  const { project: key = "demo" } = useSession();
  const controls = useProject(key);
  const { baseUrl } = controls;
  const action = useAction();
  const send = async () => {
    const response = await fetch(`${baseUrl}/resource/my-id`);
    const id = response.headers.get("Mock-Request-Id");
    navigate({ project: key, item: id ?? undefined });
  };
  const fail = async () => {
    await controls.use("server-error", { times: 1 });
    await send();
  };
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
        <Button run={send} action={action} kind="primary">
          Send a first request
        </Button>
        <Button run={fail} action={action}>
          Make it fail
        </Button>
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
