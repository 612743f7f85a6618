import { onTestFailed, TestRunner } from "vitest";

/** The time between two checks, in milliseconds. Other processes have the CPU meanwhile. */
const INTERVAL = 5;

/**
 * Waits until the condition is true. Only the timeout of the test limits the wait. If it ends the test, the wait ends too,
 * and the errors of the test name the condition.
 */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const test = TestRunner.getCurrentTest();
  let isWaiting = true;
  if (test) {
    onTestFailed(({ task }) => {
      if (isWaiting)
        task.result?.errors?.push({
          name: "Error",
          message: `until: expected ${condition} to become true, found false`,
        });
    });
  }
  while (!(await condition())) {
    test?.context.signal.throwIfAborted();
    await new Promise((resolve) => setTimeout(resolve, INTERVAL));
  }
  isWaiting = false;
}
