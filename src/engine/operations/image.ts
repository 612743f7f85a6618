import { detached } from "../../contract/index.ts";
import type { ServiceResponse } from "../../rules/index.ts";
import { type Call, fixtureOf, violate } from "../call/call.ts";
import { fixtureResponse } from "../call/response.ts";
import { mediaType } from "../call/service-request.ts";

/** The first bytes of files of the three types, in hexadecimal. The mock checks only these: it does not decode images. */
const signatures: ReadonlyMap<string, readonly string[]> = new Map([
  ["image/jpeg", ["ffd8ff"]],
  ["image/png", ["89504e470d0a1a0a"]],
  ["image/gif", ["474946383761", "474946383961"]],
]);

/** Stores the image in the project. The control API returns it. */
export function uploadImage(call: Call): ServiceResponse {
  const contentType = mediaType(call.request) ?? "application/octet-stream";
  const firstBytes = Buffer.from(call.bytes.subarray(0, 8)).toString("hex");
  const expected = signatures.get(contentType);
  if (call.bytes.length > 0 && expected && !expected.some((signature) => firstBytes.startsWith(signature))) {
    const message = `Body: expected the first bytes of ${contentType} (${expected.join(" or ")}), found ${firstBytes}`;
    violate(call, [{ code: "InvalidInput", message }]);
  }
  const { filename, variant, sku, staged } = call.query as {
    filename?: string;
    variant?: number;
    sku?: string;
    staged?: boolean;
  };
  const image = {
    filename: filename && detached(filename),
    variant,
    sku: sku && detached(sku),
    staged,
    contentType: detached(contentType),
    uploadedAt: call.project.clock.timestamp(),
    bytes: call.bytes,
  };
  const { project } = call;
  const id = project.change((draft) => {
    const id = project.newId(draft);
    draft.addImage({ id, ...image });
    return id;
  }, call.author);
  call.decisions.push({ kind: "stored", image: id });
  return fixtureResponse(fixtureOf(call, 200));
}
