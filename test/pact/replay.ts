import { expect } from "vitest";
import type { Pact } from "../../src/control/client/types.ts";
import { control } from "../setup/control.ts";
import { json, type MockUnderTest } from "../setup/mock.ts";

/**
 * Sends the requests of a pact with their provider states, as a verifier does. Returns the descriptions of the responses with
 * another status, and of those that lack an item or a member of the example.
 */
export async function failuresOf(mock: MockUnderTest, { interactions }: Pact): Promise<string[]> {
  const failures: string[] = [];
  for (const { description, providerStates = [], request, response } of interactions) {
    const change = async (action: string) => {
      for (const { name: state, params } of providerStates) {
        const reply = await control(mock, "POST", "/provider-states", { state, params, action });
        expect(reply, description).toMatchObject({ status: 200 });
      }
    };
    await change("setup");
    const query = new URLSearchParams(
      Object.entries(request.query ?? {}).flatMap(([name, values]) => values.map((value) => [name, value])),
    );
    const init = request.body ? json(request.method, request.body.content as object) : { method: request.method };
    const reply = await mock.fetch(`${request.path}?${query}`, init);
    const text = await reply.text();
    const isSimilar = !response.body || contains(JSON.parse(text), response.body.content);
    if (reply.status !== response.status || !isSimilar) failures.push(description);
    await change("teardown");
  }
  return failures;
}

/** Returns whether a value has the members of the example, and items wherever the example has items. */
function contains(value: unknown, example: unknown): boolean {
  if (Array.isArray(example)) {
    return (
      Array.isArray(value) && example.every((item) => value.length > 0 && value.every((each) => contains(each, item)))
    );
  }
  if (typeof example !== "object" || example === null) return typeof value === typeof example;
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(example).every(([name, member]) => contains((value as Record<string, unknown>)[name], member));
}
