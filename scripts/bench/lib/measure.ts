/** A table as text: every cell is written already. */
export interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** What was asked for and what came out. */
export interface Goal {
  readonly goal: string;
  readonly reached: string;
  readonly met: boolean;
}

/** A column of a table to be drawn: one bar per row. */
export interface Chart {
  /** Which of the measure's tables. */
  readonly table: number;
  /** The head of the column. */
  readonly column: string;
  readonly title: string;
}

/** One measure's results, as they go into the document. */
export interface Result {
  readonly tables: readonly Table[];
  readonly goals: readonly Goal[];
  /** How it was run: rounds, sizes, seconds. */
  readonly how: string;
}

/** How thorough a run is. */
export interface Effort {
  /** True: few rounds, to see that everything works; the figures mean little. */
  readonly quick: boolean;
}

/** A measure of the bench. Its name is what `--only` takes and what its markers in the document are called. */
export interface Measure {
  readonly name: string;
  /** What is drawn above its tables. */
  readonly charts?: readonly Chart[];
  run(effort: Effort): Promise<Result>;
}
