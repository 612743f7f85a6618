/**
 * The parts in the store that this process cannot read, for example because another program has changed them. They are
 * left out, so that the rest of their project stays usable.
 */
export class Unreadable {
  /** The problem of each document: the project key, or empty for the state that belongs to no project. */
  readonly #problems = new Map<string, string>();

  /** The number of documents with a problem, and the problem of one of them; undefined without one. */
  get summary(): { readonly projects: number; readonly problem: string } | undefined {
    const [problem] = this.#problems.values();
    return problem === undefined ? undefined : { projects: this.#problems.size, problem };
  }

  /** Forgets the problem of a document that is read as a whole, or deleted. */
  clear(project: string): void {
    this.#problems.delete(project);
  }

  /** Reads a part with `use`, if there is a text. If it throws, leaves the part out and keeps the reason. */
  async read(
    project: string,
    part: string,
    text: string | null | undefined,
    use: (saved: unknown) => unknown,
  ): Promise<void> {
    try {
      await use(text === null || text === undefined ? undefined : JSON.parse(text));
    } catch (error) {
      this.add(project, part, error);
    }
  }

  /** Keeps the reason why a part is left out. */
  add(project: string, part: string, error: unknown): void {
    const owner = project === "" ? "the state of all projects" : `project "${project.slice(0, 100)}"`;
    const reason = error instanceof Error ? error.message : String(error);
    this.#problems.set(project, `the shared store, ${owner}, ${part.slice(0, 100)}: ${reason}`);
  }
}
