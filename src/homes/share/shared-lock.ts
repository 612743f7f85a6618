/** Lets many holders in together, or one alone. A holder that waits to be alone comes before later holders. */
export class SharedLock {
  #holders = 0;
  #isAlone = false;
  readonly #waiting: { readonly alone: boolean; readonly enter: () => void }[] = [];

  /** Waits until nobody is alone. */
  enter(): Promise<void> | undefined {
    return this.#wait(false);
  }

  /** Waits until nobody else is in. */
  enterAlone(): Promise<void> | undefined {
    return this.#wait(true);
  }

  leave(): void {
    if (this.#isAlone) this.#isAlone = false;
    else this.#holders--;
    for (let next = this.#waiting[0]; next && this.#isFree(next.alone); next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#take(next.alone);
      next.enter();
    }
  }

  #wait(alone: boolean): Promise<void> | undefined {
    if (this.#waiting.length === 0 && this.#isFree(alone)) {
      this.#take(alone);
      return undefined;
    }
    return new Promise((enter) => this.#waiting.push({ alone, enter }));
  }

  #isFree(alone: boolean): boolean {
    return !this.#isAlone && (!alone || this.#holders === 0);
  }

  #take(alone: boolean): void {
    if (alone) this.#isAlone = true;
    else this.#holders++;
  }
}
