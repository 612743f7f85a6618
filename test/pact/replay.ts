import { expect } from "vitest";
import type { Pact } from "../../src/control/client/types.ts";
import { control } from "../setup/control.ts";
import type { MockUnderTest } from "../setup/mock.ts";

/**
 * Sends the requests of a pact with their provider states, as a verifier does. Returns the descriptions of the responses with
 * another status, and of those that lack an item or a member of the example.
 */
export async function failuresOf(mock: MockUnderTest, { interactions }: Pact): Promise<string[]> {
  const failures: string[] = [];
  for (const { description, providerStates = [], request, response } of interactions) {
    const values: Record<string, string> = {};
    const change = async (action: string) => {
      for (const { name: state, params } of providerStates) {
        const reply = await control<Record<string, string>>(mock, "POST", "/provider-states", {
          state,
          params,
          action,
        });
        expect(reply, description).toMatchObject({ status: 200 });
        Object.assign(values, reply.body);
      }
    };
    await change("setup");
    /** Returns the values of a part of the request, with those of the provider states in place of placeholders. */
    const generated = (part: "header" | "query", sent: Readonly<Record<string, readonly string[]>> = {}) => {
      const generators = (request.generators as Generators | undefined)?.[part] ?? {};
      const textOf = (name: string, value: string) =>
        generators[name]?.expression.replace(/\$\{(\w+)\}/, (_all, key: string) => values[key] ?? "") ?? value;
      return Object.entries(sent).flatMap(([name, all]) => all.map((value) => [name, textOf(name, value)]));
    };
    const query = new URLSearchParams(generated("query", request.query));
    const { method, body } = request;
    const text = body && (body.encoded ? Buffer.from(String(body.content), "base64") : JSON.stringify(body.content));
    const init = { method, headers: generated("header", request.headers) as [string, string][], body: text ?? null };
    const reply = await mock.fetch(`${request.path}?${query}`, init);
    const returned = await reply.text();
    const isSimilar = !response.body || contains(JSON.parse(returned), response.body.content);
    if (reply.status !== response.status || !isSimilar) failures.push(description);
    await change("teardown");
  }
  return failures;
}

type Generators = { readonly [part: string]: { readonly [name: string]: { readonly expression: string } } };

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
