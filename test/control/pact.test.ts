import { describe, expect, test } from "vitest";
import { control, inProject } from "../setup/control.ts";
import { useMock } from "../setup/mock.ts";
import { repository, run } from "../setup/run.ts";

const pact = `${repository}test/control/pacts/shop-resource-service.json`;

describe("the verifier of Pact", { tags: ["process"] }, () => {
  const mock = useMock("over a socket");
  // Rejects with the output of the verifier if the verification fails.
  const verify = () => run(process.execPath, [`${repository}test/pact/verify.ts`, pact, mock.url ?? ""]);

  test("passes if the mock is in the states of the pact", async () => {
    await verify();
    expect((await inProject(mock, "pact", "GET", "/requests")).body).toMatchObject({ total: 5 });
    // Teardown has deactivated the scenarios and removed the resources.
    expect((await inProject(mock, "pact", "GET", "/scenarios")).body).toMatchObject({ total: 0 });
    expect((await inProject(mock, "pact", "GET", "/resources?key=linen-shirt")).body).toMatchObject({ total: 0 });
  });

  test("fails if the mock returns errors", async () => {
    await control(mock, "PUT", "/scenarios/server-error");
    await expect(verify()).rejects.toThrow("There were 4 pact failures");
  });
});
