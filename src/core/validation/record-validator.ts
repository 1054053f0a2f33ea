import { compileCheck } from "#compile";
import type { Schema } from "../model.js";
import type { Fits } from "./compile.js";
import { check, type Mismatch } from "./issues.js";
import { ExpectedDrift, strictTwin } from "./strict-schema.js";

// From here on compiling (about a millisecond) pays for itself.
const HOT_AFTER = 300;
// A service that differs in ever new ways is looked at through the last twin; telling once is seen to elsewhere.
const MOST_REBUILDS = 50;
// What a service really adds is a handful of fields. One that invents names by the thousand is not learnt by heart: each
// name costs memory, and time at every rebuild.
const MOST_EXPECTED = 200;
const LONGEST_NAME = 100;

const NONE: readonly Mismatch[] = [];

/** Looks at the records of one operation: through a schema that gets faster when hot and expects what it has told. */
export class Lens {
  readonly #schema: Schema;
  readonly #kind: "report" | "strict";
  readonly #expected = new ExpectedDrift();
  #twin: Schema;
  #fits: Fits | null = null;
  #looked = 0;
  #rebuilds = 0;
  #learnt = 0;

  constructor(schema: Schema, kind: "report" | "strict") {
    this.#schema = schema;
    this.#kind = kind;
    this.#twin = strictTwin(schema, kind);
  }

  /** In what a record differs; empty when it fits or differs only in what was expected. */
  look(record: unknown): readonly Mismatch[] {
    if (++this.#looked === HOT_AFTER && compileCheck) this.#fits = compileCheck(this.#twin);
    if (this.#fits?.(record)) return NONE;
    return check(this.#twin, record).mismatches;
  }

  /** Lets differences pass from now on, so that a service that has changed costs no more than one that has not. */
  expect(mismatches: readonly Mismatch[]): void {
    if (this.#rebuilds >= MOST_REBUILDS) return;
    const names = mismatches.filter(({ path }) => path.every((key) => String(key).length <= LONGEST_NAME));
    const learnt = names.slice(0, MOST_EXPECTED - this.#learnt);
    if (learnt.length === 0) return;
    this.#rebuilds++;
    this.#learnt += learnt.length;
    for (const { path, kind } of learnt) this.#expected.add(path, kind);
    this.#twin = strictTwin(this.#schema, this.#kind, this.#expected);
    this.#fits = null;
    this.#looked = 0;
  }
}
