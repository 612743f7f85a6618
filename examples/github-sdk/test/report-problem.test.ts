import { Octokit } from "@octokit/rest";
import { expect, test } from "resource-mock/vitest";
import { reportProblem } from "../src/report-problem.ts";

const repository = { owner: "octo-org", repo: "harbour" };
const quiet = { debug() {}, info() {}, warn() {}, error() {} };

/** Returns a client of the mock. The mock accepts any token by default. */
const clientOf = (baseUrl: string) => new Octokit({ baseUrl, auth: "any", log: quiet });

test("creates an issue once", async ({ mock }) => {
  const octokit = clientOf(mock.baseUrl);

  const number = await reportProblem(octokit, repository, "The crane is stuck");

  expect(await reportProblem(octokit, repository, "The crane is stuck")).toBe(number);
  const issue = await octokit.rest.issues.get({ ...repository, issue_number: number });
  expect(issue.data).toMatchObject({ title: "The crane is stuck", state: "open" });
  await expect(mock).toHaveReceived({ operation: "issues/create" }, { count: 1 });
  await expect(mock).toHaveNoViolations();
});

test("finds an issue on the second page", async ({ mock }) => {
  const issues = Array.from({ length: 120 }, (_, index) => ({ title: `Problem ${index + 1}`, state: "open" }));
  await mock.seed({ "/repos/octo-org/harbour/issues": issues });

  expect(await reportProblem(clientOf(mock.baseUrl), repository, "Problem 110")).toBe(110);

  await expect(mock).toHaveReceived({ operation: "issues/list-for-repo" }, { count: 2 });
  await expect(mock).not.toHaveReceived({ operation: "issues/create" });
});

test("waits while GitHub limits the rate of requests", async ({ mock }) => {
  await mock.rule({ operation: "issues/create", respond: { status: 429 }, times: 1 });

  expect(await reportProblem(clientOf(mock.baseUrl), repository, "The crane is stuck")).toBe(1);

  await expect(mock).toHaveReceivedInOrder([
    { operation: "issues/create", status: 429 },
    { operation: "issues/create", status: 201 },
  ]);
});

test("the SDK throws an error with the reason of the mock for an unknown issue", async ({ mock }) => {
  const issue = { ...repository, issue_number: 7 };

  const error = await clientOf(mock.baseUrl)
    .rest.issues.get(issue)
    .catch((reason) => reason);

  expect(error).toMatchObject({ name: "HttpError", status: 404 });
  expect(error.message).toContain('with the id "7": it was never created');
});
