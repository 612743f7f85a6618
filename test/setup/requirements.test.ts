import { chmodSync } from "node:fs";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { folderOf } from "./folder.ts";
import { lookFor } from "./requirements.ts";

beforeEach(() => {
  // With an empty PATH, no tool is found. No environment variable requires a tool.
  for (const name of ["PATH", "CI", "MOCK_TEST_REQUIRE", "MOCK_TEST_BROWSER"]) vi.stubEnv(name, "");
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

test.each([
  ["engine", "no container engine", ["containerEngine", false]],
  ["compose", "no Docker Compose", ["compose", []]],
  ["browser", "no browser", ["browser", ""]],
  ["tls", "no curl", ["tlsTools", false]],
  ["redis", "no redis-server", ["redis", ""]],
  ["haproxy", "no haproxy", ["haproxy", ""]],
] as const)(
  "without a %s, reports the skipped tests in one line, and fails the run in CI",
  (name, missing, provided) => {
    const log = vi.spyOn(console, "log").mockReturnValue();
    const provide = vi.fn();
    lookFor(name)({ provide });
    expect(provide.mock.calls).toEqual([provided]);
    expect(log.mock.calls).toEqual([[expect.stringContaining(missing)]]);
    vi.stubEnv("CI", "true");
    expect(() => lookFor(name)({ provide })).toThrow(missing);
  },
);

test("says that a container engine is too slow, and fails the run in CI", { tags: ["process"] }, () => {
  const folder = folderOf({ docker: "#!/bin/sh\nexec /bin/sleep 60\n" });
  chmodSync(`${folder}/docker`, 0o755);
  vi.stubEnv("PATH", folder);
  const log = vi.spyOn(console, "log").mockReturnValue();
  const provide = vi.fn();

  lookFor("engine", 100)({ provide });

  expect(provide.mock.calls).toEqual([["containerEngine", false]]);
  expect(log.mock.calls).toEqual([[expect.stringContaining("the container engine is too slow")]]);
  vi.stubEnv("CI", "true");
  expect(() => lookFor("engine", 100)({ provide })).toThrow("the container engine is too slow");
});
