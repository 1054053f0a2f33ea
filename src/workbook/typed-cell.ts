/**
 * The kind of a cell that is not text. `moment` is a day and time without a time zone, `clock` a time or a length of
 * time, and `fault` a cell without a value that can be trusted.
 */
export type CellType = "number" | "percentage" | "day" | "moment" | "clock" | "flag" | "error" | "fault";

/** A cell of a workbook that is not text. Text cells are strings. */
export class TypedCell {
  readonly type: CellType;
  /**
   * `12.5`, `2026-10-18`, `2026-10-18T09:30:00`, `09:30:00`, `yes`, `no`, or the name of an error; for a fault, the
   * reason.
   */
  readonly text: string;

  constructor(type: CellType, text: string) {
    this.type = type;
    this.text = text;
  }

  /** Restores a cell from the result of {@link toJSON}; returns other values unchanged. */
  static from(value: unknown): unknown {
    const { cell } = (value ?? {}) as { readonly cell?: readonly [CellType, string] };
    return Array.isArray(cell) ? new TypedCell(...(cell as [CellType, string])) : value;
  }

  toString(): string {
    return this.text;
  }

  toJSON(): unknown {
    return { cell: [this.type, this.text] };
  }
}

/** A cell: text, or a value of another type; undefined for an empty cell. */
export type SheetCell = string | TypedCell | undefined;
