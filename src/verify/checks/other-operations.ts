import { isDeepStrictEqual } from "node:util";
import type { Contract } from "../../contract/contract.ts";
import type { Check } from "../check.ts";
import { claim, needs } from "../outcome.ts";
import { checksFor } from "./define.ts";
import { sendValid } from "./valid.ts";

/** The complex operation and the custom actions. */
export function otherChecks(contract: Contract): Check[] {
  return [
    ...checksFor(contract, "runComplexOperation", [
      {
        claim: "the status is 200",
        row: "complex-status",
        expected: "Of 200, 201 and 203, the status is 200.",
        async attempt(service) {
          const { status, seen } = await sendValid(service, "runComplexOperation");
          needs([200, 201, 203].includes(status), `200, 201 or 203; ${seen}`);
          claim(status === 200, seen);
          return seen;
        },
      },
    ]),
    ...checksFor(contract, "readNamespaceAction", [
      {
        claim: "returns the body that writeNamespaceAction received",
        row: "namespace-actions",
        writes: true,
        inOrder: true,
        expected: "readNamespaceAction returns the JSON body of the last writeNamespaceAction.",
        async attempt(service) {
          const before = await service.send("readNamespaceAction");
          const json = { note: service.newName(), list: [1, null, "text"] };
          const { isOk, seen } = await service.send("writeNamespaceAction", { json });
          needs(isOk, `writeNamespaceAction to accept a body; ${seen}`);
          const after = await service.send("readNamespaceAction");
          // The next reader gets the same body as before this check, as far as the service allows.
          if (before.isOk && before.json !== undefined) {
            await service.send("writeNamespaceAction", { json: before.json });
          }
          needs(after.isOk && after.json !== undefined, `a body; ${after.seen}`);
          claim(isDeepStrictEqual(after.json, json), `${after.seen} with another body`);
          return "the written body";
        },
      },
    ]),
    ...checksFor(contract, "getCart", [
      {
        claim: "the cart has its members",
        kind: "contract",
        expected: "The cart has the members of section 2.8 of the interface.",
        async attempt(service) {
          const reply = await service.send("getCart");
          needs(reply.isOk && reply.json !== undefined, `a cart; ${reply.seen}`);
          const names = Object.keys(contract.schemas.Cart?.properties ?? {});
          const missing = names.filter((name) => !Object.hasOwn(reply.members, name));
          claim(missing.length === 0, `a cart without ${missing.join(", ")}`);
          return "every member";
        },
      },
    ]),
  ];
}
