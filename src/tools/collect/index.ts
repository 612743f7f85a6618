/** How mocks in workers hand their coverage to a reporter. */
import type { CoverageReport } from "../../journal/index.ts";

/**
 * The environment variable with the folder for the coverage of mocks in worker processes. A reporter sets it before the
 * workers start, and they inherit it. It has no prefix `RESOURCE_MOCK_`, as it configures no mock.
 */
export const FOLDER_VARIABLE = "__resource_mock_coverage__";

/** The coverage of a mock in a worker, or of a shared mock before the run. */
export type Collected =
  | { readonly url: string; readonly report: CoverageReport }
  | { readonly url: string; readonly adminToken?: string; readonly before: CoverageReport };

/** The parts of Node that this module uses. A module loader such as that of Jest replaces imports. */
type Node = Pick<typeof process, "env" | "getBuiltinModule">;

/** Returns whether a reporter collects the coverage. */
export function isCollected({ env }: Pick<Node, "env">): boolean {
  return Boolean(env[FOLDER_VARIABLE]);
}

/** Writes the coverage of a mock that stops, for the reporter. */
export function collectReport(node: Node, url: string, report: CoverageReport): void {
  write(node, `mock-${node.getBuiltinModule("node:crypto").randomUUID()}.json`, { url, report });
}

/**
 * Writes the coverage of a mock that several workers share, as it is before the first test. The reporter compares it with
 * the coverage after the run.
 */
export function collectShared(node: Node, url: string, adminToken: string | undefined, before: CoverageReport): void {
  const name = node.getBuiltinModule("node:crypto").createHash("sha256").update(url).digest("hex");
  write(node, `shared-${name}.json`, { url, adminToken, before });
}

/** Writes a file that only this user can read, as it may have a token. Keeps a file that another worker wrote first. */
function write(node: Node, name: string, collected: Collected): void {
  const { join } = node.getBuiltinModule("node:path");
  const path = join(node.env[FOLDER_VARIABLE] ?? "", name);
  try {
    node.getBuiltinModule("node:fs").writeFileSync(path, JSON.stringify(collected), { flag: "wx", mode: 0o600 });
  } catch (error) {
    // Without the folder, the run of the reporter has ended.
    if (!["EEXIST", "ENOENT"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
}
