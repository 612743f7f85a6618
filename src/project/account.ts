import type { BudgetMember, Exchange, FairBudget, Feed } from "../journal/index.ts";
import type { ActiveRules } from "../rules/index.ts";
import type { StateBudget } from "../state/index.ts";
import type { Project } from "./project.ts";
import type { ProjectValue } from "./value.ts";

/** What projects need of their server. */
export interface ProjectServer {
  /** Returns the server's time in milliseconds. */
  readonly now: () => number;
  /** The scenarios that are active for all projects. */
  readonly activeForAll: { readonly activeRules: ActiveRules };
  /** The memory budget of the journals of all projects together. */
  readonly journals: FairBudget;
  /** The budget of the state of all projects together. */
  readonly budget: StateBudget;
  /** Sends events to subscribers. */
  readonly feed: Pick<Feed, "isPublishing" | "publish">;
  /** Called after each change. */
  readonly onChange: (project: Project) => void;
  /** Called for each request with its response, with its number in the journal. */
  readonly onRecorded: (project: Project, exchange: Exchange, number: number) => void;
}

/** The size of the state and the rules that count in the budget: characters of JSON, and bytes of images. */
export function sizeOfValue(value: Pick<ProjectValue, "state" | "sharedSize" | "activeRules">): number {
  return Math.max(0, value.state.size - value.sharedSize) + value.activeRules.bytes;
}

/** The approximate memory of the journal and the history, in bytes. */
export function journalBytes({ journal, history }: ProjectValue): number {
  return journal.bytes + history.bytes;
}

/** The shares of a project in the budgets of its server, while the server keeps the project. */
export class Account implements BudgetMember {
  readonly #project: Project;
  readonly #server: ProjectServer;
  /** The size of the state that the project has written, and of its rules. */
  size = 0;
  /** The approximate memory of the journal and the history, in bytes. */
  bytes = 0;

  constructor(project: Project, server: ProjectServer) {
    this.#project = project;
    this.#server = server;
  }

  get key(): string {
    return this.#project.key;
  }

  /** Counts this value of the project in place of the one before; without a value, the project counts nothing. */
  count(value?: ProjectValue): void {
    const size = value ? sizeOfValue(value) : 0;
    const bytes = value ? journalBytes(value) : 0;
    const [grown, grownBytes] = [size - this.size, bytes - this.bytes];
    this.size = size;
    this.bytes = bytes;
    if (grown !== 0) this.#server.budget.change(this, grown);
    if (grownBytes !== 0) this.#server.journals.change(this, grownBytes);
  }

  /** Throws InsufficientStorage if the value with these members does not fit into the budget of the state. */
  requireRoom({ state, sharedSize, activeRules }: ProjectValue, members: Partial<ProjectValue>): void {
    this.#server.budget.require(sizeOfValue({ state, sharedSize, activeRules, ...members }) - this.size);
  }

  shrinkTo(bytes: number): void {
    this.#project.shrinkTo(bytes);
  }
}
