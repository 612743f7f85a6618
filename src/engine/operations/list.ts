import { MAX_LIST_TEXT, readQuery, responseFor, ServiceError, valueAt } from "../../contract/index.ts";
import type { ServiceResponse } from "../../rules/index.ts";
import {
  collectionIn,
  documentedValue,
  formOf,
  type Item,
  schemaAt,
  selectItems,
  withPart,
} from "../../state/index.ts";
import { type Call, violate } from "../call/call.ts";
import { sliceOf } from "../call/wait.ts";
import { contentFor, documentedResponse } from "./documented.ts";
import { collectionNameOf, type RoleOf, typeNamed } from "./find.ts";
import { contentResponse, isStructured, statusFor, textAround, textIn } from "./item-response.ts";
import { selectionOf, sentValue } from "./list-query.ts";
import { factsOf, pageHeaders, pageValues, pagingOf } from "./paging.ts";
import { withTag } from "./preconditions.ts";
import { ignoredHeader } from "./sent.ts";

/** Returns a page of the items, or what the operation documents, by the setting `collection`. */
export function listItems(call: Call, role: RoleOf<"list">): ServiceResponse | Promise<ServiceResponse> {
  if (call.settings.collection === "sample" && !role.list.ignoresSetting) return documentedResponse(call);
  const { pagedParameters } = call.operation;
  if (pagedParameters && call.unnamed.length > 0) {
    const reading = readQuery(pagedParameters, call.request.query);
    violate(call, reading.violations);
    call.query = { ...reading.values, ...call.query };
  }
  return listState(call, role);
}

async function listState(call: Call, role: RoleOf<"list">): Promise<ServiceResponse> {
  const { decisions, engine, operation } = call;
  const { list } = role;
  const type = typeNamed(call, role.type);
  const name = collectionNameOf(call, type, role.scope);
  const collection = collectionIn(call.project.state, name);
  const { ignored, ...chosen } = selectionOf(call, role, type);
  const selection = { ...chosen, slice: sliceOf(call), total: collection.items.size };
  const paging = await pagingOf(call, list, collection, name, selection);
  const withTotal = list.headers !== undefined || Boolean(sentValue(call, list.query?.withTotal) ?? true);
  const { selected, total } = await selectItems(collection.items.values(), { ...selection, ...paging, withTotal });
  if (ignored.length > 0) decisions.push({ kind: "ignored", names: ignored });
  const status = statusFor(operation);
  const rule = responseFor(operation, status) ?? { description: "" };
  const content = contentFor(rule, call.request);
  if (!isStructured(content)) return documentedResponse(call, status);
  const schema = rule.schemaOf?.paged ?? content.schema ?? {};
  const { value: example } = documentedValue(operation, engine.fixtures) ?? {};
  const { items = {} } = formOf(schemaAt(schema, list.at) ?? {}, []);
  const sample = valueAt(example, [...list.at, "0"]);
  const texts = textsWithin(selected, (item) => textIn(engine, type, item, items, sample));
  if (texts.length < selected.length) {
    if (type.draft) {
      const message = `The page: expected at most ${MAX_LIST_TEXT} characters of JSON, found more in ${selected.length} results. The first ${texts.length} results fit: send limit=${texts.length}.`;
      throw new ServiceError({ code: "InsufficientStorage", message });
    }
    decisions.push({ kind: "cut-page", results: texts.length });
  }
  // In another order than that of creation, an item is no position.
  const last = selection.order ? undefined : selected[texts.length - 1];
  const page = { ...paging, count: texts.length, total: withTotal ? total : undefined };
  const values = pageValues(call, list, name, page, last);
  const members = withPart(factsOf(list, schema, values), list.at, []);
  const text = textAround(schema, members, list.at, `[${texts.join(",")}]`, example);
  const headers = { ...(!type.draft && pageHeaders(list, values)), ...ignoredHeader(ignored) };
  const response = contentResponse(status, text, rule, content, headers);
  return type.draft ? response : withTag(call, response, type, text);
}

/** Returns the items of a page as JSON, as many as fit into a response. */
function textsWithin(selected: readonly Item[], textOf: (item: Item) => string): string[] {
  const texts: string[] = [];
  let length = 0;
  for (const item of selected) {
    const text = textOf(item);
    length += text.length;
    if (length > MAX_LIST_TEXT) break;
    texts.push(text);
  }
  return texts;
}
