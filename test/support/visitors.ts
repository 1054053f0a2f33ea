import { build } from "esbuild";
import type { Clock } from "../../src/core/clock.js";
import type { ManualClock } from "./manual-clock.js";

// Platforms such as Workers stop the code of a request that has ended: its timers do not fire, and its promises do not
// continue, even if other code resolves them. Here each call belongs to a visitor, and the library is compiled so that
// the test controls each `await`.

/** The owner of a call; once it is gone, its code never runs again. */
export interface Visitor {
  gone: boolean;
}

let current: Visitor | null = null;

/** Runs work as a visitor's code. */
export function runAs<T>(visitor: Visitor | null, work: () => T): T {
  const before = current;
  current = visitor;
  try {
    return work();
  } finally {
    current = before;
  }
}

/**
 * A promise whose callbacks run as code of the visitor who attached them. They never run if that visitor is gone, or if
 * another visitor settles the promise and leaves before they run.
 */
export class VisitorPromise<T> extends Promise<T> {
  readonly #resolver: { by: Visitor | null };

  constructor(executor: ConstructorParameters<typeof Promise<T>>[0]) {
    const resolver: { by: Visitor | null } = { by: null };
    super((resolve, reject) =>
      executor(
        (value) => {
          resolver.by ??= current;
          resolve(value);
        },
        (reason) => {
          resolver.by ??= current;
          reject(reason);
        },
      ),
    );
    this.#resolver = resolver;
  }

  // biome-ignore lint/suspicious/noThenProperty: this is the scheduler.
  override then<A = T, B = never>(
    done?: ((value: T) => A | PromiseLike<A>) | null,
    failed?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    const visitor = current;
    const wrapCallback = <V, R>(callback: ((value: V) => R) | null | undefined) =>
      callback &&
      ((value: V) =>
        visitor?.gone || this.#resolver.by?.gone
          ? (new Promise(() => undefined) as R)
          : runAs(visitor, () => callback(value)));
    return super.then(wrapCallback(done), wrapCallback(failed));
  }
}

/** A clock whose timers run as code of the visitor who set them, and never after that visitor is gone. */
export function visitorClock(manual: ManualClock): Clock {
  return {
    now: () => manual.now(),
    setTimeout: (callback, ms) => {
      const visitor = current;
      return manual.setTimeout(() => !visitor?.gone && runAs(visitor, callback), ms);
    },
    clearTimeout: (timer) => manual.clearTimeout(timer),
  };
}

/** Compiles modules of src/core so that visitors can run them. */
export async function compileForVisitors<Exports>(...modules: readonly string[]): Promise<Exports> {
  const contents = modules.map((module) => `export * from "./${module}.js";`).join(" ");
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: "src/core", loader: "ts" },
    bundle: true,
    write: false,
    format: "iife",
    globalName: "compiled",
    target: "es2016",
  });
  const text = outputFiles[0]?.text ?? "";
  if (/\bawait\b/.test(text)) throw new Error("the compiled code still waits by itself");
  return new Function("Promise", `${text}; return compiled;`)(VisitorPromise) as Exports;
}
