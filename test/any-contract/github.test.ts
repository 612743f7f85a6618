/**
 * GitHub's own client on GitHub's own document: what it creates can be found, changed and deleted.
 * @module-tag tools
 */
import { createRequire } from "node:module";
import { Octokit } from "@octokit/rest";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type StartedResourceMock, startResourceMock } from "../../src/library/resource-mock.ts";

const contract = createRequire(import.meta.url).resolve("@octokit/openapi/generated/api.github.com.json");

const quiet = { debug() {}, info() {}, warn() {}, error() {} };

let mock: StartedResourceMock;
beforeAll(async () => {
  mock = await startResourceMock({ contract });
});
afterAll(() => mock.close());

/** Returns a client of a new project, and the repository that it has created. */
async function withRepository(name: string) {
  const { baseUrl } = mock.project(name);
  const octokit = new Octokit({ baseUrl, auth: "any", log: quiet });
  const { rest } = octokit;
  const { data } = await rest.repos.createForAuthenticatedUser({ name, description: "Ships", private: true });
  return { octokit, rest, repository: data, at: { owner: data.owner.login, repo: name } };
}

test("a repository can be read and listed, renamed and deleted", async () => {
  const { rest, repository, at } = await withRepository("harbour");
  expect(repository).toMatchObject({ name: "harbour", description: "Ships", private: true });
  expect((await rest.repos.get(at)).data).toMatchObject(repository);
  const list = async () => (await rest.repos.listForAuthenticatedUser()).data.map(({ name }) => name);
  expect(await list()).toContain("harbour");
  await rest.repos.update({ ...at, name: "port", has_wiki: false });
  const renamed = { ...at, repo: "port" };
  expect((await rest.repos.get(renamed)).data).toMatchObject({ id: repository.id, name: "port", has_wiki: false });
  await rest.repos.delete(renamed);
  await expect(rest.repos.get(renamed)).rejects.toMatchObject({ status: 404 });
  expect(await list()).not.toContain("port");
});

test("an issue has the next number of its repository, and is found by its state", async () => {
  const { rest, at } = await withRepository("numbers");
  const titles = ["Leak", "Rust"];
  const numbers: number[] = [];
  for (const title of titles) numbers.push((await rest.issues.create({ ...at, title, labels: ["hull"] })).data.number);
  expect(numbers).toEqual([1, 2]);
  await rest.issues.update({ ...at, issue_number: 1, state: "closed" });
  expect((await rest.issues.get({ ...at, issue_number: 1 })).data).toMatchObject({ title: "Leak", state: "closed" });
  const closed = await rest.issues.listForRepo({ ...at, state: "closed" });
  expect(closed.data.map(({ title }) => title)).toEqual(["Leak"]);
  const page = await rest.issues.listForRepo({ ...at, state: "all", per_page: 1, page: 2 });
  expect(page.data.map(({ title }) => title)).toEqual(["Rust"]);
  const other = await withRepository("elsewhere");
  expect((await other.rest.issues.listForRepo(other.at)).data).toEqual([]);
});

test("lists a comment by its issue, and reads the comment by its own id", async () => {
  const { rest, at } = await withRepository("talk");
  const first = await rest.issues.createComment({ ...at, issue_number: 1, body: "Found it" });
  await rest.issues.createComment({ ...at, issue_number: 2, body: "Another" });
  const listed = await rest.issues.listComments({ ...at, issue_number: 1 });
  expect(listed.data.map(({ id, body }) => [id, body])).toEqual([[first.data.id, "Found it"]]);
  const comment = { ...at, comment_id: first.data.id };
  await rest.issues.updateComment({ ...comment, body: "Mended" });
  expect((await rest.issues.getComment(comment)).data.body).toBe("Mended");
  await rest.issues.deleteComment(comment);
  await expect(rest.issues.getComment(comment)).rejects.toMatchObject({ status: 404 });
});

test("a label is named by its name, which is unique in its repository", async () => {
  const { rest, at } = await withRepository("colours");
  const label = { ...at, name: "good first issue" };
  await rest.issues.createLabel({ ...label, color: "00ff00" });
  expect((await rest.issues.getLabel(label)).data).toMatchObject({ name: label.name, color: "00ff00" });
  await expect(rest.issues.createLabel({ ...label, color: "ff0000" })).rejects.toMatchObject({ status: 409 });
  await rest.issues.deleteLabel(label);
  await expect(rest.issues.getLabel(label)).rejects.toMatchObject({ status: 404 });
});

test("all pages of a list are read by the links of its responses", async () => {
  const { octokit, rest, at } = await withRepository("pages");
  const titles = ["a", "b", "c", "d", "e"];
  for (const title of titles) await rest.issues.create({ ...at, title });
  const issues = await octokit.paginate(rest.issues.listForRepo, { ...at, state: "all", per_page: 2 });
  expect(issues.map(({ title }) => title)).toEqual(titles);
});
