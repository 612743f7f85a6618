import { type Call, fixtureOf, violate } from "../call/call.ts";
import { mediaType } from "../call/request.ts";
import { fixtureResponse, type ServiceResponse } from "../call/response.ts";
import { bytesOfImage } from "../state/size.ts";
import { detached } from "../text/detached.ts";

/** How files of the three types begin. Only these bytes are looked at: a stand-in need not decode pictures. */
const beginnings: ReadonlyMap<string, readonly string[]> = new Map([
  ["image/jpeg", ["ffd8ff"]],
  ["image/png", ["89504e470d0a1a0a"]],
  ["image/gif", ["474946383761", "474946383961"]],
]);

/** Keeps the image with the project; the control API can read it back. */
export async function uploadImage(call: Call): Promise<ServiceResponse> {
  const contentType = mediaType(call.request) ?? "application/octet-stream";
  const begins = Buffer.from(call.bytes.subarray(0, 8)).toString("hex");
  const expected = beginnings.get(contentType);
  if (call.bytes.length > 0 && expected && !expected.some((beginning) => begins.startsWith(beginning))) {
    const message = `The body is not what Content-Type says: expected ${contentType} to begin with the bytes ${expected.join(" or ")}, found ${begins}`;
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
  const id = await call.project.newId(bytesOfImage(image));
  await call.project.store.addImage({ id, ...image });
  return fixtureResponse(fixtureOf(call, 200));
}
