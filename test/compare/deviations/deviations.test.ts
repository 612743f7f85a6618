import { beforeAll, expect, test } from "vitest";
import { newProject, useMock } from "../../setup/mock.ts";
import { tokenFor } from "../../setup/tokens.ts";
import { compareAt } from "../upstreams.ts";
import { type Deviation, deviations } from "./deviations.ts";
import { startDeviating } from "./service.ts";

const mock = useMock("over a socket", { settings: { auth: "strict" }, checkResponses: false });

let token = "";
beforeAll(async () => {
  token = await tokenFor(mock);
});

const all = deviations(() => `Bearer ${token}`);

/** Returns the operations whose checks run, or undefined for all. */
function operationsOf({ reported, only }: Deviation): readonly string[] | undefined {
  const ids = only ?? reported.map((name) => name.replace(/:.*/, ""));
  return ids.length > 0 ? ids : undefined;
}

test("a check shows where a value differs from the expected one", async () => {
  await using service = await startDeviating(mock.url ?? "", async (call, next) => {
    const answer = await next();
    const text = answer.body.toString();
    const body = call.operation === "createResource" ? text.replace("[1.5,0.5]", "[1.5]") : text.replace("null", "7");
    return { ...answer, body: Buffer.from(answer.status < 300 ? body : text) };
  });
  const { results } = await compareAt(service.url, {
    project: newProject(),
    credentials: { token },
    only: ["createResource", "readNamespaceAction"],
  });
  const seen = results.filter(({ outcome }) => outcome === "fail" || outcome === "differs").map(({ seen }) => seen);
  expect(seen).toEqual([
    "/objectTypeProperty/arrayOfTwonumbersExample/1 is nothing, expected 0.5",
    "the body/list/1 is 7, expected null",
  ]);
});

test.each(Object.entries(all))("%s: only the checks of this claim report it", async (_name, deviation) => {
  const { deviate, reported } = deviation;
  await using service = await startDeviating(mock.url ?? "", deviate);
  const { results } = await compareAt(service.url, {
    project: newProject(),
    credentials: { client: { id: "nightly", secret: "s3cr3t" }, tokenUrl: new URL(`${mock.url}/oauth/token`) },
    only: operationsOf(deviation),
  });
  const found = results.filter(({ outcome }) => outcome === "fail" || outcome === "differs");
  // The observed behaviour of an unexpected report is part of the message of a failed test.
  const names = found.map(({ name, seen }) => (reported.includes(name) ? name : `${name} (${seen})`));
  expect(names.toSorted()).toEqual(reported.toSorted());
  const texts = results.map(({ name, seen, why }) => `${name}: ${seen} ${why}`);
  expect(texts.filter((text) => /NaN|undefined/.test(text))).toEqual([]);
});
