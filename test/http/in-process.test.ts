import { describe, expect, test } from "vitest";
import { createResourceMock } from "../../src/index.ts";
import { activate } from "../setup/activation.ts";
import { expectError } from "../setup/errors.ts";
import { lastExchange } from "../setup/journal.ts";
import { heldBytes } from "../setup/memory.ts";
import { newProject, useMock } from "../setup/mock.ts";
import { configure } from "../setup/resources.ts";

const mock = useMock("in process");

/** Returns a request with a streamed body. With `fail`, the stream fails after the pieces. */
function streamed(pieces: readonly string[], fail = false): RequestInit {
  const body = new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece));
      if (fail) controller.error(new Error("stream failed by the test"));
      else controller.close();
    },
  });
  return { method: "POST", body, headers: { "Content-Type": "application/json" }, duplex: "half" } as RequestInit;
}

test("accepts a body in pieces", async () => {
  const response = await mock.resource(newProject(), "", streamed(['{"objectType', 'Property":{}}']));
  expect(await response.json()).toEqual({ version: 1, objectTypeProperty: {} });
});

test("returns 400 when the stream of the request body fails", async () => {
  const project = newProject();
  await expectError(await mock.resource(project, "", streamed(["{"], true)), "InvalidInput");
  expect(await lastExchange(mock, project)).toMatchObject({ status: 400 });
});

test("stops reading a body that is too large", async () => {
  const project = newProject();
  await configure(mock, project, { maxBodyBytes: 10 });
  let read = 0;
  const body = new ReadableStream(
    {
      pull(controller) {
        read++;
        controller.enqueue(new Uint8Array(6));
      },
    },
    { highWaterMark: 0 },
  );
  const init = { method: "POST", body, headers: { "Content-Type": "application/json" }, duplex: "half" } as RequestInit;
  await expectError(await mock.resource(project, "", init), "ContentTooLarge");
  expect(read).toBe(2);
});

test("stops sending a slow body when the request's signal aborts", async () => {
  const project = newProject();
  await activate(mock, project, "dribble");
  const leaving = new AbortController();
  const { body } = await mock.fetch(`/${project}/resource`, { signal: leaving.signal });
  const reader = body?.getReader();
  expect((await reader?.read())?.done).toBe(false);
  // The signal must still work after a garbage collection.
  await heldBytes();
  leaving.abort(new Error("left"));
  await expect(reader?.read()).rejects.toThrow("left");
});

test("validates a query of any length", async () => {
  const query = "floatParameter=x&".repeat(200_000);
  const errors = await expectError(await mock.resource(newProject(), `?${query}`), "InvalidField");
  expect(errors).toHaveLength(20);
});

describe("the library's fetch", () => {
  test("does not handle a request whose signal has already aborted", async () => {
    await using library = await createResourceMock();
    const request = library.fetch("/left/resource", { signal: AbortSignal.abort(new Error("left")) });
    await expect(request).rejects.toThrow("left");
    expect(await library.projects()).toEqual([]);
  });

  test("treats a path that starts with two slashes as a path", async () => {
    await using library = await createResourceMock();
    expect((await library.fetch("//a/b/resource/x")).status).toBe(404);
    expect(await library.projects()).toEqual([]);
  });
});
