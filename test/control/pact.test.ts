import { describe, expect, test } from "vitest";
import { control, inProject } from "../setup/control.ts";
import { useMock } from "../setup/mock.ts";
import { repository, run } from "../setup/run.ts";

describe("Pact's own verifier", () => {
  const mock = useMock("over a socket");
  // Fails with all that the verifier says when the pact does not hold.
  const verify = () => run(process.execPath, [`${repository}test/control/pacts/verify.ts`, mock.url ?? ""]);

  test("finds that a mock in the states of a pact answers as the pact says", async () => {
    await verify();
    expect((await inProject(mock, "pact", "GET", "/requests")).body).toMatchObject({ total: 5 });
    // Torn down again: nothing is left on, and what was set up is gone.
    expect((await inProject(mock, "pact", "GET", "/scenarios")).body).toMatchObject({ total: 0 });
    expect((await inProject(mock, "pact", "GET", "/resources?key=linen-shirt")).body).toMatchObject({ total: 0 });
  });

  test("finds that a mock which behaves otherwise does not", async () => {
    await control(mock, "PUT", "/scenarios/server-error");
    await expect(verify()).rejects.toThrow("There were 4 pact failures");
  });
});
