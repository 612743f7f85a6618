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
import type { Call } from "../call/call.ts";
import type { Engine } from "../engine.ts";

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
  const written = writtenContent(engine, operation, status, variant);
  if (written) return written;
  if (status >= 400) return errorContent(call, status);
  const rule = responseFor(operation, status);
  if (!rule?.schema) return { status, value: undefined, text: null, source: "generated", isOffContract: !rule };
  return generatedContent(call, operation, status);
}

/** Returns the fixture for this status, or else the first example. */
function writtenContent({ fixtures }: Engine, operation: Operation, status: number, variant?: string) {
  const fixture = fixtures.get(operation.id, status, variant) ?? fixtures.get(operation.id, status);
  if (fixture) return { status, value: fixture.value, text: fixture.text, source: `fixture:${fixture.path}` };
  const { examples = {}, mediaType } = responseFor(operation, status) ?? {};
  const [example] = Object.entries(examples);
  if (!example) return undefined;
  const [name, value] = example;
  return { status, value, text: JSON.stringify(value), source: `example:${name}`, mediaType };
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
  const { source, value } = (reader && writtenContent(engine, reader, successStatus(reader))) ?? {};
  return source && isObject(value) ? { source, members: value } : { source: "generated", members: {} };
}
