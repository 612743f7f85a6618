import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import setup from "./requirements.ts";

describe("without a container engine", () => {
  beforeEach(() => {
    // No `docker` is found, and nothing is asked for.
    for (const name of ["PATH", "CI", "RESOURCE_MOCK_REQUIRE"]) vi.stubEnv(name, "");
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  });

  it("one line says that tests are skipped", () => {
    const log = vi.spyOn(console, "log").mockReturnValue();
    const provide = vi.fn();

    setup({ provide });

    expect(provide).toHaveBeenCalledExactlyOnceWith("containerEngine", false);
    expect(log.mock.calls).toEqual([[expect.stringContaining("no container engine")]]);
  });

  it.each([
    ["CI", "true"],
    ["RESOURCE_MOCK_REQUIRE", "engine"],
  ])("the run fails with %s=%s", (name, value) => {
    vi.stubEnv(name, value);

    expect(() => setup({ provide: vi.fn() })).toThrow("no container engine");
  });
});
