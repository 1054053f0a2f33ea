import type { Clock } from "education-admin-sdk";

interface Event {
  readonly due: number;
  readonly order: number;
  /** null once the timer has fired or was cleared. */
  callback: (() => void) | null;
}

const START = Date.UTC(2026, 0, 5, 12);

/**
 * A clock that jumps to the next timer when nothing else can run. Hours pass in seconds, and a seed always gives the
 * same course of events.
 */
export class EventClock implements Clock {
  #now = START;
  // A binary heap with the next event first.
  readonly #heap: Event[] = [];
  #cancelled = 0;
  #order = 0;

  now(): number {
    return this.#now;
  }

  /** Milliseconds since this clock was made. */
  get elapsed(): number {
    return this.#now - START;
  }

  /** Timers that have neither fired nor been cleared. */
  get pending(): number {
    return this.#heap.length - this.#cancelled;
  }

  setTimeout(callback: () => void, ms: number): unknown {
    const event = { due: this.#now + Math.max(0, Number(ms) || 0), order: ++this.#order, callback };
    this.#push(event);
    return event;
  }

  clearTimeout(handle: unknown): void {
    const event = handle as Event | undefined;
    if (!event?.callback) return;
    event.callback = null;
    this.#cancelled++;
  }

  /** Resolves after this many milliseconds. */
  pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.setTimeout(resolve, ms));
  }

  /** Lets time jump until the work has settled. */
  async run<T>(work: Promise<T>): Promise<T> {
    let over = false;
    const end = () => {
      over = true;
    };
    work.then(end, end);
    for (let stuck = 0; ; ) {
      await quiet();
      if (over) return work;
      const event = this.#pop();
      if (event) {
        stuck = 0;
        this.#now = Math.max(this.#now, event.due);
        const { callback } = event;
        event.callback = null;
        callback?.();
      } else if (++stuck > 1000) {
        throw new Error("nothing is left to happen, and the work is not done");
      } else {
        // The platform is still working, for instance on a digest.
        await new Promise((resolve) => realSetTimeout(resolve, 1));
      }
    }
  }

  /** Makes this the clock of the whole process until the returned function is called. */
  install(): () => void {
    const { setTimeout, clearTimeout, setInterval, clearInterval } = globalThis;
    const { now } = Date;
    const handle = (event: { id: unknown }) => ({ ...event, ref: () => undefined, unref: () => undefined });
    const repeat = (callback: () => void, ms: number) => {
      const event = { id: undefined as unknown };
      const again = () => {
        event.id = this.setTimeout(again, Math.max(1, ms));
        callback();
      };
      event.id = this.setTimeout(again, Math.max(1, ms));
      return Object.assign(event, { ref: () => undefined, unref: () => undefined });
    };
    const clear = (timer: { id: unknown } | undefined) => this.clearTimeout(timer?.id);
    Object.assign(globalThis, {
      setTimeout: (callback: (...values: unknown[]) => void, ms: number, ...values: unknown[]) =>
        handle({ id: this.setTimeout(() => callback(...values), ms) }),
      clearTimeout: clear,
      setInterval: repeat,
      clearInterval: clear,
    });
    Date.now = () => this.#now;
    return () => {
      Object.assign(globalThis, { setTimeout, clearTimeout, setInterval, clearInterval });
      Date.now = now;
    };
  }

  #push(event: Event): void {
    const heap = this.#heap;
    let at = heap.push(event) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!earlier(event, heap[parent] as Event)) break;
      heap[at] = heap[parent] as Event;
      at = parent;
    }
    heap[at] = event;
  }

  #pop(): Event | undefined {
    for (;;) {
      const heap = this.#heap;
      const top = heap[0];
      const last = heap.pop();
      if (!top || !last) return undefined;
      if (heap.length > 0) {
        let at = 0;
        for (;;) {
          let child = 2 * at + 1;
          if (child >= heap.length) break;
          if (child + 1 < heap.length && earlier(heap[child + 1] as Event, heap[child] as Event)) child++;
          if (!earlier(heap[child] as Event, last)) break;
          heap[at] = heap[child] as Event;
          at = child;
        }
        heap[at] = last;
      }
      if (top.callback) return top;
      this.#cancelled--;
    }
  }
}

const realSetTimeout = globalThis.setTimeout;

function earlier(a: Event, b: Event): boolean {
  return a.due < b.due || (a.due === b.due && a.order < b.order);
}

// Waits for two turns of the event loop. Each runs all microtasks; two are needed, because some of the platform's
// streams take a turn themselves.
async function quiet(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  await new Promise((resolve) => setImmediate(resolve));
}
