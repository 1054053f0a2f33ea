import fc from "fast-check";
import { afterAll, beforeAll, expect, vi } from "vitest";
// Loads these modules in advance: the library imports them on first use, and a sandbox's clock does not wait for
// imports.
import "../../src/core/call/failure-words.js";
import "../../src/core/limits/guarded-store.js";
import "../../src/core/lists/read-checkpoint.js";
import "../../src/lookups/code.js";
import { drawNumber } from "./draw.ts";

// Unit tests share a process with the files that ran before them. So that their order does not matter, each file starts
// without the state that the library keeps for a process, and fails if it leaves the process changed. A commit always
// gives the same random cases.
fc.configureGlobal({ seed: drawNumber() | 0 });

const KEPT_BY_THE_LIBRARY = ["education-admin-sdk.rate-limiters.v2", "education-admin-sdk.cast-texts.v1"];

const EVENTS = ["unhandledRejection", "uncaughtException", "warning", "exit", "SIGINT", "SIGTERM"];

interface State {
  readonly globals: ReadonlyMap<PropertyKey, unknown>;
  readonly environment: string;
  readonly directory: string;
  readonly listeners: readonly number[];
  readonly addEventListener: unknown;
}

let before: State;

beforeAll(() => {
  for (const name of KEPT_BY_THE_LIBRARY) Reflect.deleteProperty(globalThis, Symbol.for(name));
  before = state();
});

afterAll(() => {
  const faked = vi.isFakeTimers();
  vi.useRealTimers();
  expect(faked, "timers are still fake").toBe(false);
  const after = state();
  const changed = [...before.globals].filter(([name, value]) => !Object.is(after.globals.get(name), value));
  expect(
    changed.map(([name]) => String(name)),
    "globals that were replaced and not put back",
  ).toEqual([]);
  expect(after.addEventListener === before.addEventListener, "EventTarget is as it was").toBe(true);
  expect(after.environment, "environment variables").toBe(before.environment);
  expect(after.directory, "working directory").toBe(before.directory);
  expect(after.listeners, `listeners to ${EVENTS.join(", ")}`).toEqual(before.listeners);
});

function state(): State {
  // Platforms create many globals on first access, so this compares their getters without calling them.
  const globals = Object.entries(Object.getOwnPropertyDescriptors(globalThis)).filter(
    ([name]) => !/vitest/i.test(name),
  );
  return {
    globals: new Map(globals.map(([name, { get, value }]) => [name, get ?? value])),
    environment: JSON.stringify(Object.entries(process.env).sort()),
    directory: process.cwd(),
    listeners: EVENTS.map((event) => process.listenerCount(event)),
    addEventListener: EventTarget.prototype.addEventListener,
  };
}
