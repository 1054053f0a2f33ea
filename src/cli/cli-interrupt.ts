import type { Terminal } from "./terminal.js";

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/**
 * Says something before Ctrl-C or SIGTERM ends the process as it would anyway.
 * @returns what takes that back.
 */
export function onInterrupt(say: () => void): () => void {
  const releases = SIGNALS.map((signal) => {
    const end = () => {
      say();
      process.kill(process.pid, signal);
    };
    process.once(signal, end);
    return () => process.off(signal, end);
  });
  return () => {
    for (const release of releases) release();
  };
}

/**
 * Runs work that Ctrl-C, SIGTERM or `terminal.stop` aborts. A signal ends the process as it would anyway, once the work has left
 * everything in order.
 * @param say what a person is told then.
 */
export async function interruptible<T>(
  terminal: Terminal,
  say: string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const stop = new AbortController();
  let received: NodeJS.Signals | null = null;
  const abort = () => stop.abort(new Error(say));
  const receive = (signal: NodeJS.Signals) => {
    received = signal;
    abort();
  };
  for (const signal of SIGNALS) process.once(signal, receive);
  terminal.stop?.addEventListener("abort", abort, { once: true });
  try {
    return await work(stop.signal);
  } catch (error) {
    if (received === null) throw error;
    terminal.stderr.write(`${say}\n`);
    process.kill(process.pid, received);
    throw error;
  } finally {
    for (const signal of SIGNALS) process.off(signal, receive);
  }
}
