import { type Contract, invalidField, ServiceError, tokenOperation } from "../contract/index.ts";
import { type Candidates, compileMatcher, type Matcher, type UncheckedMatch } from "../rules/index.ts";

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
