import { defineConfig } from "@playwright/test";
import type { ResourceMockOptions } from "resource-mock/playwright";

export default defineConfig<ResourceMockOptions>({
  testDir: "test",
  fullyParallel: true,
  use: {
    baseURL: "http://localhost:3000",
    mockProject: "shop",
    // By default, the browser that `npx playwright install chromium` has installed.
    launchOptions: { executablePath: process.env.BROWSER_PATH },
  },
  webServer: [
    {
      command: "npx resource-mock --contract petstore.yaml --log off",
      url: "http://localhost:8080/__admin/health",
      reuseExistingServer: true,
    },
    { command: "node src/server.ts", url: "http://localhost:3000/health", reuseExistingServer: true },
  ],
});
