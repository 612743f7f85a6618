import { Ajv2020, type Options } from "ajv/dist/2020.js";
import { formats } from "./formats.ts";

/** Returns the Ajv instance of `validator.ts` and of the build, which only decides: `explain.ts` finds the problems. */
export function createAjv(more: Options): Ajv2020 {
  return new Ajv2020({
    formats: formats as Options["formats"],
    messages: false,
    ownProperties: true,
    strictTypes: false,
    ...more,
  });
}
