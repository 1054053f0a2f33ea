/** Runs one piece of work after another. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs work once everything before it is over, however that ended. */
  take<Value>(work: () => Promise<Value>): Promise<Value> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => undefined);
    return turn;
  }
}
