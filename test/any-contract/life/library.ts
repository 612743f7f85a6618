import { spawn } from "node:child_process";
import { once } from "node:events";
import { onTestFinished } from "vitest";
import { type ProjectControl, type StartOptions, startResourceMock } from "../../../src/index.ts";
import { repository } from "../../setup/run.ts";

/** The document of a public library: books, copies, members, loans, reservations, opening hours. */
export const library: string = `${repository}test/any-contract/life/library.yaml`;

/** Starts a mock of the library until the end of the test. */
export async function startLibrary(options: StartOptions = {}) {
  const mock = await startResourceMock({ contract: library, ...options });
  onTestFinished(() => mock.close());
  return mock;
}

export const memberId = "0f1c7d5e-7a4b-4a93-9d43-2b8f6d1c9e10";

/** Adds three books, the initial one included, and a loan. */
export async function fill(project: ProjectControl): Promise<void> {
  await project.seed({
    "/books": [
      { title: "Emma", author: "Jane Austen", genre: "novel" },
      { title: "Persuasion", author: "Jane Austen" },
    ],
    Loan: [{ $mock: { id: "71" }, bookId: 1, memberId, renewals: 0 }],
  });
}

/** Starts the real library in another process, until the end of the test. Returns its URL. */
export async function realLibrary(...args: string[]): Promise<string> {
  const file = `${repository}test/any-contract/life/real-library.ts`;
  const child = spawn(process.execPath, [file, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill());
  const [port] = await once(child.stdout, "data");
  return `http://127.0.0.1:${String(port).trim()}`;
}
