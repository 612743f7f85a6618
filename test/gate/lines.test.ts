import { describe, expect, test } from "vitest";
import { connectionTo } from "../../src/control/client/connection.ts";
import { type ProjectControl, projectControl } from "../../src/control/client/index.ts";
import { missingCells } from "../../src/tools/gate/requirements.ts";
import { newProject, useMock } from "../setup/mock.ts";
import { everyOperation } from "../setup/requests.ts";

describe("the line that a missing failure suggests", () => {
  // A simulated delay takes no time.
  const mock = useMock("in process", { wait: async () => {} });

  test.each(everyOperation)("exposes a client of %s to the failure", async (operation, { path, init }) => {
    const fetch = (url: string, request?: RequestInit) => mock.fetch(url.replace("http://mock", ""), request);
    const connection = connectionTo("http://mock", { fetch });
    const send = async (key: string) => {
      // A broken connection rejects.
      await mock.resource(key, path, init).then(
        (response) => response.text().catch(() => {}),
        () => {},
      );
    };
    const used = newProject();
    await send(used);
    const cells = missingCells(await projectControl({ connection, key: used }).coverage());
    expect(cells.length).toBeGreaterThanOrEqual(8);
    for (const { failure, line } of cells) {
      const key = newProject();
      const project = projectControl({ connection, key });
      await run(line, project);
      await send(key);
      const { operations } = await project.coverage();
      const exposed = operations.find((each) => each.operation === operation)?.failures[failure];
      expect([failure, line, exposed]).toEqual([failure, line, true]);
    }
  });
});

/** Runs the line of a test with its project as `mock`. */
async function run(line: string, mock: ProjectControl): Promise<void> {
  await new Function("mock", `return (async () => { ${line} })()`)(mock);
}
