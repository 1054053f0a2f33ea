import type { Terminal } from "./terminal.js";

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** Calls `say` before Ctrl-C or SIGTERM ends the process. @returns a function that removes the handler. */
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

interface Interruption {
  /** Aborts with an error whose message is meant for a person. */
  readonly signal: AbortSignal;
  received(): NodeJS.Signals | null;
  release(): void;
}

/**
 * Lets Ctrl-C, SIGTERM and `terminal.stop` abort a signal instead of ending the process. @param say the error message.
 */
export function interruption({ stop }: Terminal, say: string): Interruption {
  const controller = new AbortController();
  let received: NodeJS.Signals | null = null;
  const abort = () => controller.abort(new Error(say));
  const receive = (signal: NodeJS.Signals) => {
    received = signal;
    abort();
  };
  for (const signal of SIGNALS) process.once(signal, receive);
  if (stop?.aborted) abort();
  stop?.addEventListener("abort", abort, { once: true });
  return {
    signal: controller.signal,
    received: () => received,
    release() {
      for (const signal of SIGNALS) process.off(signal, receive);
    },
  };
}

/**
 * Runs work that an {@link interruption} aborts. A signal ends the process only after the work has cleaned up.
 * @param say the message to print after a signal.
 */
export async function interruptible<T>(
  terminal: Terminal,
  say: string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { signal, received, release } = interruption(terminal, say);
  try {
    return await work(signal);
  } catch (error) {
    const by = received();
    if (by === null) throw error;
    terminal.stderr.write(`${say}\n`);
    process.kill(process.pid, by);
    throw error;
  } finally {
    release();
  }
}
