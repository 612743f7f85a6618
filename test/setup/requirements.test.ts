import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { lookFor } from "./requirements.ts";

describe.each([
  ["engine", "no container engine", ["containerEngine", false]],
  ["compose", "no Docker Compose", ["compose", []]],
  ["browser", "no browser", ["browser", ""]],
  ["tls", "no curl", ["tlsTools", false]],
  ["redis", "no redis-server", ["redis", ""]],
  ["haproxy", "no haproxy", ["haproxy", ""]],
] as const)("without a %s", (requirement, missing, provided) => {
  beforeEach(() => {
    // With an empty PATH, no tool is found. No environment variable requires a tool.
    for (const name of ["PATH", "CI", "MOCK_TEST_REQUIRE", "MOCK_TEST_BROWSER"]) vi.stubEnv(name, "");
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  });

  it("reports the skipped tests in one line", () => {
    const log = vi.spyOn(console, "log").mockReturnValue();
    const provide = vi.fn();

    lookFor(requirement)({ provide });

    expect(provide.mock.calls).toEqual([provided]);
    expect(log.mock.calls).toEqual([[expect.stringContaining(missing)]]);
  });

  it.each([
    ["CI", "true"],
    ["MOCK_TEST_REQUIRE", requirement],
    ["MOCK_TEST_REQUIRE", "engine,compose,browser,tls,redis,haproxy"],
  ])("fails the run with %s=%s", (name, value) => {
    vi.spyOn(console, "log").mockReturnValue();
    vi.stubEnv(name, value);

    expect(() => lookFor(requirement)({ provide: vi.fn() })).toThrow(missing);
  });
});
