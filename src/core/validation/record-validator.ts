import { compileCheck } from "#platform";
import type { Fits } from "../platform.js";
import { check, LONGEST_NAME, type Mismatch } from "./issues.js";
import { limitedSchema, ReportedDifferences, type StrictKind, strictSchema } from "./strict-schema.js";
import type { Schema } from "./traits.js";

// After this many records the time to compile (about a millisecond) is worth it.
const HOT_AFTER = 300;
// A service that keeps differing in new ways is checked with the last schema; each difference is still reported once.
const MOST_REBUILDS = 50;
// The service adds a handful of fields at a time. One that invents names by the thousand would cost memory for each
// name, and time at every rebuild.
const MOST_IGNORED = 200;
// A record may hold a hundred thousand invented fields; the first ones are enough to see what is wrong.
const MOST_MISMATCHES = 1_000;

const NONE: readonly Mismatch[] = [];

/** Validates one operation's records; compiles the schema when hot and ignores differences already reported. */
export class RecordValidator {
  readonly #schema: Schema;
  readonly #reported = new ReportedDifferences();
  #noticing: HotSchema;
  #refusing: HotSchema | null = null;
  #rebuilds = 0;
  #ignored = 0;

  constructor(schema: Schema) {
    this.#schema = schema;
    this.#noticing = new HotSchema(schema, "report");
  }

  /** All differences of a record, without the ignored ones; at most 1,000. */
  differences(record: unknown): readonly Mismatch[] {
    return this.#noticing.mismatches(record);
  }

  /** Only the differences that strict validation refuses; at most 1,000. */
  refusals(record: unknown): readonly Mismatch[] {
    this.#refusing ??= new HotSchema(this.#schema, "strict");
    return this.#refusing.mismatches(record);
  }

  /**
   * Makes `differences` ignore these from now on, so that records of a service that has changed cost no more than
   * those of one that has not. At most 200 differences in 50 calls are ignored, none with a name over 100 characters.
   */
  ignore(mismatches: readonly Mismatch[]): void {
    if (this.#rebuilds >= MOST_REBUILDS) return;
    const short = mismatches.filter(({ path }) => path.every((key) => String(key).length <= LONGEST_NAME));
    const ignored = short.slice(0, MOST_IGNORED - this.#ignored);
    if (ignored.length === 0) return;
    this.#rebuilds++;
    this.#ignored += ignored.length;
    for (const { path, kind } of ignored) this.#reported.add(path, kind);
    this.#noticing = new HotSchema(this.#schema, "report", this.#reported);
  }
}

/** A strict schema that is compiled once it has checked many records, where the platform generates code. */
class HotSchema {
  readonly #compile: () => Fits | null;
  readonly #limited: Schema;
  #fits: Fits | null = null;
  #checked = 0;

  constructor(schema: Schema, kind: StrictKind, reported?: ReportedDifferences) {
    this.#compile = () => compileCheck?.(strictSchema(schema, kind, reported)) ?? null;
    this.#limited = limitedSchema(schema, kind, reported);
  }

  mismatches(record: unknown): readonly Mismatch[] {
    if (++this.#checked === HOT_AFTER) this.#fits = this.#compile();
    if (this.#fits?.(record)) return NONE;
    return check(this.#limited, record, MOST_MISMATCHES).mismatches;
  }
}
