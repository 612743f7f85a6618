import { describe, expect, test } from "vitest";
import { createProgress } from "../../src/cli/terminal.ts";

const ERASE = "\r\u001b[2K";

function terminal(isTTY: boolean, columns?: number) {
  const writes: string[] = [];
  return { isTTY, columns, writes, write: (text: string) => writes.push(text) };
}

describe("the progress on a terminal", () => {
  test("shows finished steps, the time left and the current step on one line", () => {
    const screen = terminal(true, 60);
    let now = 5000;
    const progress = createProgress(40, screen, () => now);
    progress.update(0, "first");
    now += 10_000;
    progress.update(10);
    progress.update(10, "eleventh");
    now += 90_000;
    progress.update(20);
    progress.clear();
    expect(screen.writes).toEqual([
      `${ERASE}0/40 · first`,
      `${ERASE}10/40 · 30 s left`,
      `${ERASE}10/40 · 30 s left · eleventh`,
      `${ERASE}20/40 · 1 min 40 s left`,
      ERASE,
    ]);
  });

  test("is never longer than a line", () => {
    const screen = terminal(true, 20);
    createProgress(1000, screen).update(0, "a".repeat(500));
    expect(screen.writes[0]?.length).toBeLessThan(ERASE.length + 20);
    expect(screen.writes[0]).toContain("a…");
  });
});

test("an output that is no terminal shows no progress", () => {
  const file = terminal(false);
  const progress = createProgress(2, file);
  progress.update(1, "first");
  progress.clear();
  expect(file.writes).toEqual([]);
});
