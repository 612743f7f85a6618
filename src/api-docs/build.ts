import { type BundledPage, bundlePage } from "../bundle-page.ts";

/** Bundles the API reference into one page. */
export function buildDocs(options?: { minify?: boolean }): Promise<BundledPage> {
  return bundlePage(import.meta.dirname, options);
}
