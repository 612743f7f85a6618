/**
 * The dashboard on a document with more than 1,200 operations: GitHub's own.
 * @module-tag browser
 * @module-tag tools
 */
import { createRequire } from "node:module";
import { describeJobs } from "./jobs.ts";

const issues = "/repos/octocat/hello/issues";
const label = { method: "POST", path: "/repos/octocat/hello/labels", body: { name: "bug", color: "f00" } };
const inRepository = { owner: "octocat", repo: "hello" };

describeJobs("GitHub's document", {
  contract: createRequire(import.meta.url).resolve("@octokit/openapi/generated/api.github.com.json"),
  before: [
    { method: "POST", path: "/user/repos", body: { name: "hello" } },
    { method: "POST", path: issues, body: { title: "A bug" } },
    label,
  ],
  read: { method: "GET", path: `${issues}/1` },
  readId: "issues/get",
  change: { method: "PATCH", path: `${issues}/1`, body: { title: "A feature" } },
  bad: { method: "POST", path: issues, body: { body: "?" }, status: 422, reason: /title: is required/ },
  conflict: { ...label, status: 409, reason: /expected an id that no item has/ },
  create: { id: "issues/create", path: inRepository, body: { title: "Another bug" } },
  item: { type: issues, id: "1", before: "A bug", after: "A feature" },
  upload: {
    id: "repos/upload-release-asset",
    path: { ...inRepository, release_id: "1" },
    query: { name: "a.png" },
  },
});
