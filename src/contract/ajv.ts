import { Ajv2020, type Options } from "ajv/dist/2020.js";
import type { Extent } from "./compiled.ts";
import { formats } from "./formats.ts";

/** Returns an Ajv as `validator.ts` and the build use it, with `more` options. */
export function createAjv(extent: Extent, more?: Options): Ajv2020 {
  return new Ajv2020({
    allErrors: extent === "all",
    discriminator: true,
    formats,
    // `problems.ts` has its own.
    messages: false,
    ownProperties: true,
    strictTypes: false,
    ...more,
  });
}
