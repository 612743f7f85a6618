import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    // The mock behaves like the service that this document describes.
    env: { RESOURCE_MOCK_CONTRACT: "petstore.yaml" },
  },
});
