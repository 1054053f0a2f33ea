interface Listeners {
  readonly callbacks: Set<() => void>;
  readonly fire: () => void;
}

// One native listener per signal, shared by all calls: Node prints a warning when a signal gets its eleventh listener.
const LISTENERS = /* @__PURE__ */ new WeakMap<AbortSignal, Listeners>();

/** Calls `callback` once when the signal aborts. @returns a function that removes the callback. */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
  if (!signal) return () => undefined;
  let listeners = LISTENERS.get(signal);
  if (!listeners) {
    const callbacks = new Set<() => void>();
    const fire = () => {
      LISTENERS.delete(signal);
      for (const each of callbacks) each();
    };
    listeners = { callbacks, fire };
    LISTENERS.set(signal, listeners);
    signal.addEventListener("abort", fire, { once: true });
  }
  const { callbacks, fire } = listeners;
  // A new function, because the same callback may be registered twice.
  const listener = () => callback();
  callbacks.add(listener);
  return () => {
    if (!callbacks.delete(listener) || callbacks.size > 0) return;
    signal.removeEventListener("abort", fire);
    LISTENERS.delete(signal);
  };
}

/** Settles as `work` does, or rejects with the signal's reason if the signal aborts first. */
export function raceAbort<T>(work: PromiseLike<T>, signal: AbortSignal | undefined): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = onAbort(signal, () => reject(signal?.reason));
    if (signal?.aborted) {
      stop();
      reject(signal.reason);
    }
    work.then(
      (value) => {
        stop();
        resolve(value);
      },
      (error) => {
        stop();
        reject(error);
      },
    );
  });
}
