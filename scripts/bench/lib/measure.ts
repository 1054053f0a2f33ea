/** A table whose cells are formatted text. */
export interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** A goal, and whether it was met. */
export interface Goal {
  readonly goal: string;
  readonly reached: string;
  readonly met: boolean;
}

/** A column of a table to be drawn: one bar per row. */
export interface Chart {
  /** Index of the table in the measure. */
  readonly table: number;
  /** The head of the column. */
  readonly column: string;
  readonly title: string;
}

/** One measure's results, as they go into the document. */
export interface Result {
  readonly tables: readonly Table[];
  readonly goals: readonly Goal[];
  /** Conditions of the run: rounds, sizes, seconds. */
  readonly how: string;
}

/** Effort of a run. */
export interface Effort {
  /** True for few rounds, to check that everything works; the figures mean little. */
  readonly quick: boolean;
}

/** A measure of the bench. Its name is the value of `--only` and marks its place in the document. */
export interface Measure {
  readonly name: string;
  /** Charts above its tables. */
  readonly charts?: readonly Chart[];
  run(effort: Effort): Promise<Result>;
}
