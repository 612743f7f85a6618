import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { bundlePage } from "../../src/page/bundle-page.ts";

test("the page of the package has at most 80 kB when it is compressed", async () => {
  const { html } = await bundlePage({ minify: true });
  expect(gzipSync(html).byteLength).toBeLessThanOrEqual(80_000);
});
