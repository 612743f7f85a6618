import { checkOptionNames, shown, unknownName } from "../contract/index.ts";
import { projectKeyProblem } from "../project/index.ts";
import { type AddedFunction, type AnyFunction, type FunctionOptions, ruleOfFunction } from "../rules/index.ts";
import type { Engine } from "./engine.ts";

/**
 * Adds a function for the requests of one operation, and creates the project if it does not exist. Throws TypeError for
 * invalid arguments, and ServiceError if a limit is reached.
 */
export function addFunction(
  engine: Engine,
  projectKey: string,
  operationId: string,
  respond: AnyFunction["respond"],
  options: FunctionOptions = {},
): AddedFunction {
  checkOptionNames("handle", options, ["offContract"]);
  const { offContract = false } = options;
  const operation = engine.contract.find(operationId);
  if (!operation) throw new TypeError(`handle: ${unknownName("operation", String(operationId), engine.contract.ids)}`);
  if (typeof respond !== "function") throw new TypeError(`handle: expected a function, found ${shown(respond)}`);
  const problem = projectKeyProblem(projectKey);
  if (problem) throw problem;
  const project = engine.projects.get(projectKey);
  project.activeRules = project.activeRules.add("function", ruleOfFunction(operation.id, { respond, offContract }));
  const id = project.activeRules.active[0]?.name ?? "";
  const remove = () => {
    project.activeRules = project.activeRules.remove("function", id);
  };
  return Object.assign(remove, { id, [Symbol.dispose]: remove });
}
