import type { Contract, OperationId } from "../../contract/contract.ts";
import type { Check } from "../check.ts";
import { orderOf, successOf, writesOf } from "./valid.ts";

/** A check of one operation, without the facts that follow from its operation. */
export interface Definition
  extends Pick<Check, "row" | "expected" | "attempt" | "writes" | "inOrder">,
    Partial<Pick<Check, "kind">> {
  /** The name after the operation. */
  readonly claim: string;
  /** The names of further checks that must pass. */
  readonly needs?: readonly string[];
}

/**
 * Returns checks of an operation. They need a valid request to the operation to succeed. A check with a row is an
 * assumption, and others are a behaviour, unless they have a kind.
 */
export function checksFor(contract: Contract, id: OperationId, definitions: readonly Definition[]): Check[] {
  const operation = contract.find(id);
  if (!operation) throw new Error(`unknown operation ${id}`);
  return definitions.map(({ claim, needs = [], kind, row, ...rest }) => ({
    name: nameOf(id, claim),
    operation: id,
    kind: kind ?? (row ? "assumption" : "behaviour"),
    ...(row && { row }),
    ...writesOf(operation),
    ...orderOf(operation),
    ...rest,
    needs: [successOf(id), ...needs].filter((need) => need !== nameOf(id, claim)),
  }));
}

/** Returns the name of a check. */
export function nameOf(id: OperationId, claim: string): string {
  return `${id}: ${claim}`;
}
