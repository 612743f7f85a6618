// @module-tag process
// @module-tag slow
import { expect, test } from "vitest";
import { repository, run } from "../setup/run.ts";
import { serving } from "../setup/serving.ts";

/**
 * Runs the code in a new process and returns its output. The first import of a module whose specifier starts with
 * `fails` throws, as with too many open files.
 */
function withFailure(fails: string, code: string): Promise<string> {
  const hooks = `
    import { registerHooks } from "node:module";
    let failed = false;
    registerHooks({
      resolve(specifier, context, next) {
        if (!failed && specifier.startsWith(${JSON.stringify(fails)})) {
          failed = true;
          throw new Error("EMFILE: too many open files");
        }
        return next(specifier, context);
      },
    });
  `;
  return run(process.execPath, ["--input-type=module", "--eval", hooks + code], repository);
}

test("the next call loads the validator after a failed load", async () => {
  const output = await withFailure(
    "ajv/",
    `const { loadCheck } = await import("./src/contract/validator.ts");
     const schema = { type: "integer" };
     console.log(await loadCheck(schema).catch(({ message }) => message));
     console.log((await loadCheck(schema))("x")[0].message);`,
  );
  expect(output.split("\n")).toEqual(["EMFILE: too many open files", 'expected integer, found "x"']);
});

test("the next request loads the control API after a failed load", async () => {
  const output = await withFailure(
    "./control.ts",
    `const { createResourceMock } = await import("./src/index.ts");
     const mock = await createResourceMock();
     const request = async () => console.log((await mock.fetch("/__admin/projects")).status);
     console.error = () => {};
     await request();
     await request();`,
  );
  expect(output.split("\n")).toEqual(["500", "200"]);
});

test("the server loads the client of the shared store only with --share", async () => {
  const hooks = `
    import { registerHooks } from "node:module";
    registerHooks({
      resolve(specifier, context, next) {
        // The build has bundled the client into the second file.
        if (/^ioredis$|\\bshare\\/index\\.ts$|\\bshare\\.mjs$/.test(specifier)) console.log("loaded " + specifier);
        return next(specifier, context);
      },
    });
  `;
  const environment = { NODE_OPTIONS: `--import "data:text/javascript,${encodeURIComponent(hooks)}"` };
  const loaded = async (...args: string[]) => {
    const server = await serving({ args, environment });
    const responses = [await fetch(`${server.url}/p/resource/42`), await fetch(`${server.url}/__admin/projects`)];
    await server.stop();
    return { statuses: responses.map(({ status }) => status), isLoaded: server.output().includes("loaded ") };
  };
  expect(await loaded()).toEqual({ statuses: [200, 200], isLoaded: false });
  // Nothing listens on this port.
  expect(await loaded("--share", "redis://127.0.0.1:1")).toEqual({ statuses: [503, 503], isLoaded: true });
});
