// @module-tag process
// @module-tag smoke
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { send } from "../../setup/documents.ts";
import { folderOf } from "../../setup/folder.ts";
import { realLibrary, startLibrary } from "./library.ts";

const book = { title: "Persuasion", author: "Jane Austen" };

test("spy returns the responses of a real library, and reports how they deviate from the document", async () => {
  const upstream = await realLibrary("deviating");
  const mock = await startLibrary({ upstream, settings: { upstreamMode: "spy" } });
  const requests = ["GET /books", "GET /books/1", "GET /opening-hours", "GET /books/9"];
  for (const request of requests) await send(mock, request);
  expect((await send(mock, "POST /books", {}, book)).status).toBe(200);
  const entries = (await mock.project("default").requests.list()).reverse();
  expect(entries.map(({ upstream }) => upstream?.violations.response.map(({ message }) => message))).toEqual([
    ["The response: /total: is required, found nothing"],
    ["The response: /title: expected string, found 7"],
    ['The response: Content-Type: expected application/json, found "text/plain"'],
    [],
    ["The response: The status: expected one of 201, 401, 409, 422, 503, found 200"],
  ]);
});

test("record writes the items and other responses of a real library, and a mock with these files replays them", async () => {
  const upstream = await realLibrary();
  const recordTo = folderOf({});
  const recorder = await startLibrary({ upstream, recordTo, settings: { upstreamMode: "record" } });
  const requests = ["GET /books", "GET /books/2", "GET /books/2/copies", "GET /opening-hours", "GET /books/9"];
  const recorded = [];
  for (const request of requests) recorded.push((await send(recorder, request)).body);
  const replay = await startLibrary({ fixtures: recordTo });
  const replayed = [];
  for (const request of requests) replayed.push((await send(replay, request)).body);
  expect(Object.keys(JSON.parse(readFileSync(`${recordTo}/seed.json`, "utf8")))).toEqual([
    "/books",
    "/books/2/copies",
    "/opening-hours",
  ]);
  expect(replayed).toEqual(recorded);
  expect(await send(replay, "POST /books", {}, book)).toMatchObject({ status: 201, body: { ...book, id: 3 } });
});
