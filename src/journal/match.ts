import type { Contract } from "../contract/contract.ts";
import { invalidField, ServiceError } from "../contract/service-error.ts";
import { tokenOperation } from "../contract/token-operation.ts";
import type { UncheckedMatch } from "../matching/match.ts";
import { compileMatcher, type Matcher } from "../matching/matcher.ts";
import type { Candidates } from "../matching/possible.ts";

/**
 * Compiles a match for all requests, including those that match no operation. Throws InvalidField for a match that is
 * too large or can never match, and for invalid patterns. `field` of the error is a pointer below `pointer`; without
 * `pointer` it is the name of a query parameter.
 */
export async function compileMatch(
  match: UncheckedMatch,
  { operations }: Contract,
  pointer?: string,
): Promise<Matcher> {
  const candidates: Candidates = { operations: [...operations, tokenOperation], problems: [], includesUnknown: true };
  const matcher = await compileMatcher(match, candidates);
  const fieldOf = (location: string) => (pointer === undefined ? location.slice(1) : pointer + location);
  const details = candidates.problems.map((problem) => invalidField(fieldOf(problem.pointer), problem.message));
  if (details.length > 0) throw new ServiceError(details);
  return matcher;
}
