import {
  type Awaitable,
  type ErrorCode,
  errorCatalogue,
  errorForm,
  isObject,
  type Operation,
  responseFor,
  successStatus,
} from "../../contract/index.ts";
import { shortHash } from "../../project/index.ts";
import type { ServiceResponse } from "../../rules/index.ts";
import type { Fixture } from "../../state/index.ts";
import type { Call } from "../call/call.ts";

/** The content of a response that does not come from the state. */
export interface DocumentedContent {
  readonly status: number;
  readonly value: unknown;
  /** The value as JSON; null without a body. */
  readonly text: string | null;
  readonly source: string;
  /** `application/json` by default. */
  readonly mediaType?: string | undefined;
  readonly isOffContract?: boolean;
}

/**
 * Returns the response of an operation without the state: its fixture, an example, a generated value, or nothing, whichever
 * exists first.
 */
export function documentedResponse(call: Call, status = successStatus(call.operation)): Awaitable<ServiceResponse> {
  const fixture = call.engine.fixtures.get(call.operation.id, status);
  if (fixture) return responseOf(contentOfFixture(fixture));
  const content = documentedContent(call, status);
  return content instanceof Promise ? content.then(responseOf) : responseOf(content);
}

function responseOf({ status, text, source, mediaType, isOffContract }: DocumentedContent): ServiceResponse {
  const headers: ServiceResponse["headers"] = text === null ? {} : { "Content-Type": mediaType ?? "application/json" };
  return { status, headers, body: text, source, ...(isOffContract && { offContract: true }) };
}

/** Returns the content of the response for this status: the fixture (`variant` names one of several), or else as above. */
export function documentedContent(call: Call, status: number, variant?: string): Awaitable<DocumentedContent> {
  const { engine, operation } = call;
  const fixture = engine.fixtures.get(operation.id, status, variant) ?? engine.fixtures.get(operation.id, status);
  if (fixture) return contentOfFixture(fixture);
  const rule = responseFor(operation, status);
  const [example] = Object.entries(rule?.examples ?? {});
  const mediaType = rule?.mediaType;
  if (example) {
    const [name, value] = example;
    return { status, value, text: JSON.stringify(value), source: `example:${name}`, mediaType };
  }
  if (status >= 400) return errorContent(call, status);
  if (!rule?.schema) return { status, value: undefined, text: null, source: "generated", isOffContract: !rule };
  return generatedContent(call, operation, status);
}

function contentOfFixture({ status, value, text, path }: Fixture): DocumentedContent {
  return { status, value, text, source: `fixture:${path}` };
}

/** Returns the body that the contract has for errors with this status. */
function errorContent({ engine, operation }: Call, status: number): DocumentedContent {
  const codes = Object.keys(errorCatalogue) as ErrorCode[];
  const code = codes.find((each) => errorCatalogue[each].status === status) ?? "General";
  const message = responseFor(operation, status)?.description ?? errorCatalogue[code].meaning;
  const error = { status, code, message, details: [{ code, message }] };
  const { body, mediaType, isOffContract } = errorForm(engine.contract, error, operation);
  const text = body ? JSON.stringify(body) : null;
  return { status, value: body, text, source: "generated", mediaType, isOffContract };
}

/** Returns a value of the schema. The contract, the seed and the request decide which one, not the project. */
async function generatedContent(call: Call, operation: Operation, status: number): Promise<DocumentedContent> {
  const { generateBody } = await import("../../state/generate/index.ts");
  const { path, query } = call.request;
  const { seed } = call.project.value.origin;
  const number = Number.parseInt(shortHash([seed, operation.id, status, path, query].join(" ")), 16);
  const value = await generateBody(operation, status, number, call.settings.collection, call.engine.contract);
  const text = value === undefined ? null : JSON.stringify(value);
  return { status, value, text, source: "generated", mediaType: responseFor(operation, status)?.mediaType };
}

/** Returns the members of the item that an operation documents for reads of an item that is not stored. */
export function documentedItem({ engine }: Call, reader: Operation | undefined): { source: string; members: object } {
  const status = reader ? successStatus(reader) : 200;
  const fixture = reader && engine.fixtures.get(reader.id, status);
  if (fixture && isObject(fixture.value)) return { source: `fixture:${fixture.path}`, members: fixture.value };
  const [example] = Object.entries((reader && responseFor(reader, status)?.examples) ?? {});
  if (example && isObject(example[1])) return { source: `example:${example[0]}`, members: example[1] };
  return { source: "generated", members: {} };
}
