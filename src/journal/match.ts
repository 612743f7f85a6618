import type { Contract } from "../contract/contract.ts";
import { invalidField, ServiceError } from "../contract/service-error.ts";
import type { UncheckedMatch } from "../matching/match.ts";
import { compileMatcher, type Matcher } from "../matching/matcher.ts";
import type { Candidates } from "../matching/possible.ts";

/**
 * Compiles a match for requests to any operation of the contract, or to none. Throws InvalidField for a match that is too
 * large or impossible, and for invalid patterns: `field` is a pointer below `pointer`, or without one the name of a
 * query parameter.
 */
export async function compileMatch(
  match: UncheckedMatch,
  { operations }: Contract,
  pointer?: string,
): Promise<Matcher> {
  const candidates: Candidates = { operations, problems: [], includesUnknown: true };
  const matcher = await compileMatcher(match, candidates);
  const fieldOf = (place: string) => (pointer === undefined ? place.slice(1) : pointer + place);
  const details = candidates.problems.map((problem) => invalidField(fieldOf(problem.pointer), problem.message));
  if (details.length > 0) throw new ServiceError(details);
  return matcher;
}
