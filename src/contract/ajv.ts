import { Ajv2020, type Options } from "ajv/dist/2020.js";
import type { Extent } from "./compiled.ts";
import { formats } from "./scalar.ts";

/** Returns the Ajv instance of `validator.ts` and of the build. `more` overrides its options. */
export function createAjv(extent: Extent, more?: Options): Ajv2020 {
  return new Ajv2020({
    allErrors: extent === "all",
    discriminator: true,
    formats,
    // `validator.ts` writes the messages.
    messages: false,
    ownProperties: true,
    strictTypes: false,
    ...more,
  });
}
