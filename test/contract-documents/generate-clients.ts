import { cpSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire, registerHooks } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { repository } from "../setup/run.ts";
import type { Document, DocumentName } from "./documents.ts";

const { resolve } = createRequire(join(repository, "node_modules/@arethetypeswrong/core/package.json"));
const typescript5 = resolve("typescript");

const tsconfig = {
  compilerOptions: {
    strict: true,
    noEmit: true,
    target: "es2024",
    lib: ["es2024", "dom", "dom.iterable", "dom.asynciterable"],
    module: "esnext",
    moduleResolution: "bundler",
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    types: [],
  },
};

/** Generates clients from the documents. Returns the folder with these clients and the calls that use them. */
export async function generateClients(documents: Readonly<Record<DocumentName, Document>>): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "resource-mock-clients-"));
  cpSync(join(repository, "test/contract-documents/clients"), folder, { recursive: true });
  symlinkSync(join(repository, "node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(tsconfig));

  // The generators need the JavaScript API of TypeScript 5, which TypeScript 7 does not have.
  const hooks = registerHooks({
    resolve: (specifier, context, next) => next(specifier === "typescript" ? typescript5 : specifier, context),
  });
  const { default: openapiTypescript, astToString } = await import("openapi-typescript");
  const { createClient } = await import("@hey-api/openapi-ts");
  hooks.deregister();

  for (const [name, document] of Object.entries(documents)) {
    const source = join(folder, `${name}.json`);
    writeFileSync(source, JSON.stringify(document));
    // The extension is `.ts`, not `.d.ts`, so that the compiler checks the file.
    writeFileSync(join(folder, `${name}.ts`), astToString(await openapiTypescript(JSON.stringify(document))));
    mkdirSync(join(folder, name));
    await createClient({ input: source, output: join(folder, name), logs: { level: "silent" } });
  }
  return folder;
}
