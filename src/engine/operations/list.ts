import {
  MAX_LIST_TEXT,
  type Role,
  readQuery,
  responseFor,
  ServiceError,
  successStatus,
  withRequired,
} from "../../contract/index.ts";
import type { ServiceResponse } from "../../rules/index.ts";
import { compileSort, compileWhere, type Item, itemText, page, variablesOf } from "../../state/index.ts";
import { type Call, violate } from "../call/call.ts";
import { stateResponse } from "../call/response.ts";
import { sliceOf } from "../call/wait.ts";
import { documentedResponse } from "./documented.ts";
import { itemsOf, typeNamed } from "./item.ts";

type ListRole = Extract<Role, { readonly does: "list" }>;

/** Returns a page of the items, or what the operation documents, by the setting `collection`. */
export function listItems(call: Call, role: ListRole): ServiceResponse | Promise<ServiceResponse> {
  if (call.settings.collection === "sample" && !role.list.ignoresSetting) return documentedResponse(call);
  const { pagedParameters } = call.operation;
  if (pagedParameters && call.unnamed.length > 0) {
    const reading = readQuery(pagedParameters, call.request.query);
    violate(call, reading.violations);
    call.query = { ...reading.values, ...call.query };
  }
  return listState(call, role);
}

async function listState(call: Call, { type: name, list }: ListRole): Promise<ServiceResponse> {
  const type = typeNamed(call, name);
  const { items } = itemsOf(call, type);
  const { limit, offset, withTotal, where, sort } = list.query ?? {};
  const sent = (parameter: string | undefined) => (parameter === undefined ? undefined : call.query[parameter]);
  const predicates = textsOf(sent(where));
  const matches = predicates && attempt(call, () => compileWhere(predicates, type, variablesOf(call.query)));
  const keys = textsOf(sent(sort));
  const order = keys && attempt(call, () => compileSort(keys, type));
  const total = matches ? undefined : items.size;
  const paging = {
    limit: sent(limit) ?? (limit === undefined ? items.size : undefined),
    offset: sent(offset),
    withTotal: sent(withTotal),
  };
  const { selected, ...facts } = await page(items.values(), paging, { total, matches, order, slice: sliceOf(call) });
  const status = successStatus(call.operation);
  const { schema, schemaOf } = responseFor(call.operation, status) ?? {};
  const texts = textOf(selected);
  if (list.items === undefined) return stateResponse(status, `[${texts}]`);
  const members = Object.entries(list.facts ?? {}).map(([member, fact]) => [member, facts[fact]]);
  const envelope = withRequired(schemaOf?.paged ?? schema ?? {}, { ...Object.fromEntries(members), [list.items]: [] });
  const { [list.items]: _none, ...others } = envelope;
  const start = JSON.stringify(others).slice(0, -1);
  return stateResponse(status, `${start}${start === "{" ? "" : ","}${JSON.stringify(list.items)}:[${texts}]}`);
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

/** Returns the texts of a parameter, which can be repeatable. */
function textsOf(value: unknown): string[] | undefined {
  return value === undefined ? undefined : [value].flat().map(String);
}

/** Returns the items of a page as JSON, without brackets. Throws InsufficientStorage if they are too long. */
function textOf(selected: readonly Item[]): string {
  const results: string[] = [];
  let length = 0;
  for (const item of selected) {
    const text = itemText(item);
    length += text.length;
    if (length > MAX_LIST_TEXT) throw tooLong(results.length, selected.length);
    results.push(text);
  }
  return results.join(",");
}

function tooLong(fitting: number, found: number): ServiceError {
  return new ServiceError({
    code: "InsufficientStorage",
    message: `The page: expected at most ${MAX_LIST_TEXT} characters of JSON, found more in ${found} results. The first ${fitting} results fit: send limit=${fitting}.`,
  });
}
