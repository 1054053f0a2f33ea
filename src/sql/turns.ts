/** Runs pieces of work one after another. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs work after everything before it has ended, even if that failed. */
  take<Value>(work: () => Promise<Value>): Promise<Value> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => undefined);
    return turn;
  }
}
