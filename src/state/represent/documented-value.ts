import { type Contract, type Operation, type ResourceType, responseFor, successStatus } from "../../contract/index.ts";
import type { FixtureSet } from "../fixtures/fixtures.ts";

/** Returns the documented body of a response, and its source: the fixture, or else the first example. Undefined for none. */
export function documentedValue(operation: Operation, fixtures: FixtureSet, status = successStatus(operation)) {
  const fixture = fixtures.get(operation.id, status);
  if (fixture) return { value: fixture.value, source: `fixture:${fixture.path}` };
  const [example] = Object.entries(responseFor(operation, status)?.examples ?? {});
  return example && { value: example[1], source: `example:${example[0]}` };
}

/** Returns the documented body of reads of an item by its id, or by another value that identifies it. Undefined for none. */
export function documentedItem(
  { contract, fixtures }: { readonly contract: Contract; readonly fixtures: FixtureSet },
  { name }: ResourceType,
  member = "id",
): ReturnType<typeof documentedValue> {
  const reader = contract.operations.find(
    ({ role }) => role?.does === "read" && role.type === name && role.by.member === member,
  );
  return reader && documentedValue(reader, fixtures);
}
