/// <reference lib="esnext.disposable" preserve="true" />
import { EducationAdminError } from "../errors.js";

/**
 * Goes through a list, value by value, and outlives a failed `next()`: asking again repeats what failed. Written out
 * because TypeScript before 5.6 knows `AsyncIterableIterator` with one type parameter only and would read `any`.
 */
export interface ListIterator<T> extends AsyncIterator<T, undefined> {
  /** The next value; after a failure, asking again repeats what failed. */
  next(): Promise<IteratorResult<T, undefined>>;
  /** Ends the iteration and what is being fetched ahead. A loop that ends early calls it by itself. */
  return(): Promise<IteratorResult<T, undefined>>;
  /** The iterator itself, for `for await`. */
  [Symbol.asyncIterator](): ListIterator<T>;
  /** Ends the iteration at the end of an `await using` block. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Where an iterator gets its values. */
export interface Values<T> {
  /** Takes a value that needs no request; null when there is none. */
  take(): { readonly value: T } | null;
  /** Fetches more values. @returns false at the end. */
  fetch(): Promise<boolean>;
  /** Stops fetching. */
  close(): void;
}

const END = { done: true, value: undefined } as const;

/**
 * Gives one value after another, in order even when asked several times at once. Not an async generator: that one ends
 * with its first error, while this one continues.
 */
export class OrderedIterator<T> implements ListIterator<T> {
  readonly #values: Values<T>;
  #last: Promise<unknown> | null = null;
  #ended = false;

  constructor(values: Values<T>) {
    this.#values = values;
    // Bound, so that the iterator works behind a Proxy and with detached methods.
    this.next = this.next.bind(this);
    this.return = this.return.bind(this);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<T, undefined>> {
    // Records already fetched need neither their turn nor a stack trace: a page has a hundred of them.
    if (this.#last === null && !this.#ended) {
      const taken = this.#values.take();
      if (taken) return { done: false, value: taken.value };
    }
    const frames = new Error();
    const turn = this.#last ? this.#last.then(() => this.#step(frames)) : this.#step(frames);
    const settled = turn.then(
      () => undefined,
      () => undefined,
    );
    this.#last = settled;
    void settled.then(() => {
      if (this.#last === settled) this.#last = null;
    });
    return turn;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }

  // Runs immediately: a pending page must be aborted, not awaited.
  async return(): Promise<IteratorResult<T, undefined>> {
    this.#ended = true;
    this.#values.close();
    return END;
  }

  async #step(frames: Error): Promise<IteratorResult<T, undefined>> {
    for (;;) {
      if (this.#ended) return END;
      const taken = this.#values.take();
      if (taken) return { done: false, value: taken.value };
      try {
        if (await this.#values.fetch()) continue;
        this.#ended = true;
      } catch (error) {
        // A call that was still pending when the iteration ended gets the end, not an error.
        if (!this.#ended) throw withCallerFrames(error, frames);
      }
    }
  }
}

// Appends the frames of the caller to an error's stack: engines lose them between a promise-like value and the request that
// fails later.
function withCallerFrames(error: unknown, { stack }: Error): unknown {
  if (!(error instanceof EducationAdminError) || typeof stack !== "string" || typeof error.stack !== "string")
    return error;
  const frames = stack.slice(stack.indexOf("\n") + 1);
  if (stack.includes("\n") && !error.stack.includes(frames)) {
    Object.defineProperty(error, "stack", { value: `${error.stack}\n${frames}`, configurable: true, writable: true });
  }
  return error;
}
