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

/** The results of one measure, as the document shows them. */
export interface Result {
  readonly tables: readonly Table[];
  readonly goals: readonly Goal[];
  /** The conditions of the run, such as rounds, sizes and durations. */
  readonly how: string;
}

/** How thorough a run is. */
export interface Effort {
  /** True to run only a few rounds, which show that everything works; the figures mean little. */
  readonly quick: boolean;
}

/** A measure of the bench. Its name selects it with `--only` and marks where the document shows its results. */
export interface Measure {
  readonly name: string;
  run(effort: Effort): Promise<Result>;
}
