import { ConfigurationError } from "../core/errors.js";

/**
 * A queue for something that only one piece of work may use at a time, such as a file. A plain object, because all
 * copies of the library in a process share it.
 */
export interface Turn {
  /** The name of the file or database in messages: `the SQLite file x`. */
  readonly name: string;
  last: Promise<unknown>;
  holder: Holder | null;
}

interface Holder {
  readonly turn: Turn;
  readonly outer: Holder | null;
  /** The turns that this work and its parts are waiting for; one entry for each waiting call. */
  readonly waits: Set<{ readonly turn: Turn }>;
  hasEnded: boolean;
}

interface Contexts {
  getStore(): Holder | undefined;
  run<Value>(holder: Holder, work: () => Value): Value;
}

interface Shared {
  readonly files: Map<string, Turn>;
  readonly connections: WeakMap<object, Turn>;
  /** Finds the work that a call is part of; null on platforms without `AsyncLocalStorage`. */
  readonly contexts: Contexts | null;
}

const SHARED = /* @__PURE__ */ Symbol.for("education-admin-sdk.turns.v1");

function shared(): Shared {
  const place = globalThis as { [SHARED]?: Shared };
  place[SHARED] ??= { files: new Map(), connections: new WeakMap(), contexts: contextsHere() };
  return place[SHARED];
}

// `node:async_hooks` is not imported, so that programs for browsers can be bundled.
function contextsHere(): Contexts | null {
  const { process } = globalThis as {
    process?: { getBuiltinModule?(name: string): { AsyncLocalStorage: new () => Contexts } | undefined };
  };
  const hooks = process?.getBuiltinModule?.("node:async_hooks");
  return hooks ? new hooks.AsyncLocalStorage() : null;
}

export function newTurn(name: string): Turn {
  return { name, last: Promise.resolve(), holder: null };
}

/** The turn for a file, or for a connection to a database in memory: one for the whole process. */
export function turnOf(guarded: string | object, name: string): Turn {
  const { files, connections } = shared();
  const turns = (typeof guarded === "string" ? files : connections) as Map<unknown, Turn>;
  const turn = turns.get(guarded) ?? newTurn(name);
  turns.set(guarded, turn);
  return turn;
}

/**
 * Runs work after all earlier work with this turn has ended, even if that failed.
 * @throws ConfigurationError for a deadlock: the caller is part of the work that has the turn, or that work waits for a
 * turn that the caller's work has.
 */
export async function takeTurn<Value>(turn: Turn, work: () => Promise<Value>): Promise<Value> {
  const { contexts } = shared();
  const outer = outerOf(contexts);
  refuseCircle(turn, outer);
  const holder: Holder = { turn, outer, waits: new Set(), hasEnded: false };
  const waiting = { turn };
  for (const each of chainOf(outer)) each.waits.add(waiting);
  const result = turn.last.then(() => {
    for (const each of chainOf(outer)) each.waits.delete(waiting);
    turn.holder = holder;
    return contexts ? contexts.run(holder, work) : work();
  });
  turn.last = result
    .catch(() => undefined)
    .then(() => {
      holder.hasEnded = true;
      turn.holder = null;
    });
  return result;
}

// Work that was started but not awaited is no longer part of the outer work once the outer work has ended.
function outerOf(contexts: Contexts | null): Holder | null {
  const holder = contexts?.getStore();
  return holder && !holder.hasEnded ? holder : null;
}

function chainOf(holder: Holder | null): Holder[] {
  return holder ? [holder, ...chainOf(holder.outer)] : [];
}

function refuseCircle(wanted: Turn, outer: Holder | null): void {
  const held = new Set(chainOf(outer).map(({ turn }) => turn));
  if (held.has(wanted)) {
    throw new ConfigurationError(
      `This call comes from inside a transaction of ${wanted.name} and would wait for its end. Use the connection that the transaction passes, or call after the transaction`,
    );
  }
  if (held.size === 0) return;
  const seen = new Set([wanted]);
  for (const turn of seen) {
    if (held.has(turn)) {
      throw new ConfigurationError(
        `This call waits for a transaction of ${wanted.name}, which waits for the transaction that the call comes from. Call after your transaction has ended`,
      );
    }
    for (const waiting of turn.holder?.waits ?? []) seen.add(waiting.turn);
  }
}
