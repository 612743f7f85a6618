import { cut, loadCheck, MAX_EVOLVED, MAX_LISTED, MAX_SHOWN_TEXT } from "../contract/index.ts";
import { createRandom } from "../project/index.ts";
import type { ChosenEffect } from "../rules/index.ts";
import { evolve } from "../state/index.ts";
import type { Call } from "./call/call.ts";
import type { ServiceResponse } from "./call/response.ts";

/**
 * Returns the response as a later version of the service could send it without breaking the contract. Responses that
 * cannot vary stay; the decision says why. Changes neither the state nor the headers of the response.
 */
export async function evolvedResponse(
  call: Call,
  response: ServiceResponse,
  { label, source }: ChosenEffect<true>,
): Promise<ServiceResponse> {
  const { operation, project, decisions } = call;
  const seed = project.random();
  const unchanged = (reason: string) => {
    decisions.push(`${label} did not change the response: ${reason}`);
    return response;
  };
  const { body, status, offContract } = response;
  const schema = operation.responses[status]?.schema;
  if (offContract) return unchanged("it is off-contract");
  if (!schema || typeof body !== "string") return unchanged("it has no JSON body");
  if (body.length > MAX_EVOLVED) return unchanged(`its body has more than ${MAX_EVOLVED} characters`);
  const { value, changes, count } = evolve(JSON.parse(body), schema, createRandom(String(seed)));
  if (count === 0) return unchanged("nothing in its body can vary");
  const [problem] = (await loadCheck(schema, "first"))(value);
  if (problem) return unchanged(`its body violates the contract: ${problem.pointer}: ${problem.message}`);
  const more = count > MAX_LISTED ? `, and ${count - MAX_LISTED} more changes` : "";
  const listed = cut(changes.slice(0, MAX_LISTED).join(", "), MAX_SHOWN_TEXT);
  decisions.push(`${label} changed the response: ${listed}${more}`);
  return { ...response, body: JSON.stringify(value), source, evolved: changes };
}
