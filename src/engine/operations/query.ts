import { invalidParameter, MAX_LIST_TEXT, readQuery, ServiceError } from "../../contract/index.ts";
import type { ServiceResponse } from "../../rules/index.ts";
import { compileSort, compileWhere, itemText, page, type ResourcePage, variablesOf } from "../../state/index.ts";
import { type Call, fixtureOf, violate } from "../call/call.ts";
import { fixtureResponse, stateResponse } from "../call/response.ts";
import { sliceOf } from "../call/wait.ts";
import { resourcesOf } from "./resource.ts";

/**
 * Returns a page of resources or the fixture, by the setting `collection`: the interface calls the response a paged query
 * result, but shows the shape of ArrayTestType.
 */
export function queryResources(call: Call): ServiceResponse | Promise<ServiceResponse> {
  if (call.settings.collection === "sample") return fixtureResponse(fixtureOf(call, 200));
  const { pagedParameters } = call.operation;
  // The interface defines no paging parameters for this operation, but clients need them to read further pages.
  if (pagedParameters && call.unnamed.length > 0) {
    const reading = readQuery(pagedParameters, call.request.query);
    violate(call, reading.violations);
    call.query = { ...reading.values, ...call.query };
  }
  return queryState(call);
}

/** Returns the fixture, as the interface defines neither the response nor the searched fields. */
export function searchResources(call: Call): ServiceResponse {
  const { fuzzyLevel } = call.query as { fuzzyLevel?: number };
  const { maxFuzzyLevel } = call.settings;
  if (fuzzyLevel !== undefined && fuzzyLevel > maxFuzzyLevel) {
    violate(call, [
      invalidParameter("fuzzyLevel", `at most ${maxFuzzyLevel}, the platform's default level`, fuzzyLevel),
    ]);
  }
  return fixtureResponse(fixtureOf(call, 200));
}

/** Returns 200 if the project has any resource, else 404. */
export function checkResourceExists(call: Call): ServiceResponse {
  return stateResponse(resourcesOf(call).items.size > 0 ? 200 : 404, null);
}

/** Returns a page of resources. `expand` has no effect; the journal records it. */
export async function queryState(call: Call): Promise<ServiceResponse> {
  const { items } = resourcesOf(call);
  const slice = sliceOf(call);
  const where = textsOf(call, "where");
  const matches = where && attempt(call, () => compileWhere(where, variablesOf(call.query)));
  const sort = textsOf(call, "sort");
  const order = sort && attempt(call, () => compileSort(sort));
  const total = matches ? undefined : items.size;
  const result = await page(items.values(), call.query, { total, matches, order, slice });
  return stateResponse(200, pageText(result));
}

/** Returns the result. Reports a ServiceError as a violation, and returns undefined if the settings allow violations. */
function attempt<T>(call: Call, run: () => T): T | undefined {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    violate(call, error.details);
  }
}

function textsOf(call: Call, name: string): string[] | undefined {
  return call.query[name] as string[] | undefined;
}

/** Returns a page as JSON. Throws InsufficientStorage if the page is too long. */
function pageText({ selected, ...envelope }: ResourcePage): string {
  const results: string[] = [];
  let length = 0;
  for (const item of selected) {
    const text = itemText(item);
    length += text.length;
    if (length > MAX_LIST_TEXT) throw tooLong(results.length, selected.length);
    results.push(text);
  }
  return `${JSON.stringify(envelope).slice(0, -1)},"results":[${results.join(",")}]}`;
}

function tooLong(fitting: number, found: number): ServiceError {
  return new ServiceError({
    code: "InsufficientStorage",
    message: `The page: expected at most ${MAX_LIST_TEXT} characters of JSON, found more in ${found} results. The first ${fitting} results fit: send limit=${fitting}.`,
  });
}
