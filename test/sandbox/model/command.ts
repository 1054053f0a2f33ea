import assert from "node:assert/strict";
import type fc from "fast-check";
import type { MainClient } from "../../../src/index.js";
import type { Model, Outcome } from "./model.ts";
import type { ModelWorld } from "./world.ts";

export type Command = fc.AsyncCommand<Model, ModelWorld>;

/** The identifier of a record that does not exist. */
export const NOBODY = 9_999;

/**
 * Picks an existing record, mostly one of the newest, because several operations on the same record reveal more
 * mistakes. Every eleventh number yields an identifier that does not exist.
 */
export function pickId(records: ReadonlyMap<number, unknown>, at: number): number {
  const ids = [...records.keys()];
  const reach = at % 3 === 0 ? ids.length : Math.min(4, ids.length);
  return at % 11 === 10 ? NOBODY : (ids.at(-1 - (at % Math.max(1, reach))) ?? NOBODY);
}

/** Carries out an operation in the model and in the sandbox, and compares responses and events. */
export function command<T, R>(
  name: string,
  predict: (model: Model) => Outcome<T>,
  ask: (main: MainClient, model: Readonly<Model>) => PromiseLike<R>,
  seen: (answer: R) => unknown,
): Command {
  return {
    check: () => true,
    run: async (model, world) => {
      model.events = [];
      // Makes the request first, because it depends on the model before the operation.
      const call = ask(world.main, model);
      const expected = predict(model);
      const answer = await outcomeOf(call, seen);
      assert.deepEqual(answer, expected, name);
      const kind = `${name.replace(/ ?[\d{].*$/, "")}: ${"ok" in expected ? "done" : expected.refused}`;
      world.tally.set(kind, (world.tally.get(kind) ?? 0) + 1);
      await world.sandbox.webhooks.settled();
      assert.deepEqual(world.events.splice(0), model.events, `events of ${name}`);
    },
    toString: () => name,
  };
}

async function outcomeOf<R>(call: PromiseLike<R>, seen: (answer: R) => unknown): Promise<Outcome<unknown>> {
  let answer: R;
  try {
    answer = await call;
  } catch (error) {
    const { status, errors = {} } = error as { status?: number; errors?: Record<string, unknown> };
    if (typeof status !== "number" || status < 400) throw error;
    return { refused: status, field: Object.keys(errors)[0] ?? null };
  }
  return { ok: seen(answer) };
}

/** The view of a response that has no body. */
export function nothing(answer: unknown): unknown {
  return answer;
}
