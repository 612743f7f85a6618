import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    // GitHub's own OpenAPI document, from npm. Each test file loads the document (3 MB) once, in less than one second.
    env: { RESOURCE_MOCK_CONTRACT: "node_modules/@octokit/openapi/generated/api.github.com.json" },
  },
});
