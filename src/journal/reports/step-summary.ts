import { appendFile } from "node:fs/promises";
import { shown } from "../../contract/index.ts";

/**
 * Appends Markdown to the summary of the job in GitHub Actions. Does nothing outside of GitHub Actions. Logs a warning if
 * the summary cannot be written, so that the result of the command stays the same.
 *
 * @param environment has the path of the summary in `GITHUB_STEP_SUMMARY`
 */
export async function appendStepSummary(markdown: string, environment: NodeJS.ProcessEnv): Promise<void> {
  const { GITHUB_STEP_SUMMARY: path } = environment;
  if (!path) return;
  try {
    await appendFile(path, `${markdown}\n`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    process.stderr.write(
      `resource-mock: GITHUB_STEP_SUMMARY: expected a file that can be written, found ${shown(path)} (${code}). The job has no summary.\n`,
    );
  }
}
