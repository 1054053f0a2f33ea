import type { Catalog } from "./catalog.js";
import type { Sight } from "./classes.js";
import type { Given } from "./input.js";
import { ToolProblem } from "./problem.js";
import type { Session } from "./session.js";

export type AnswerData = { readonly [name: string]: unknown };

export interface Place {
  readonly given: Given;
  /** The list's checkpoint before the page; null for its first page. */
  readonly after: string | null;
  /** Number of the page's records that earlier calls have returned. */
  readonly skip: number;
}

export interface Tools {
  readonly catalog: Catalog;
  readonly session: Session;
  readonly sight: Sight;
  readonly maxTokens: number;
  readonly access: "read" | "plan";
  readonly plans: string | undefined;
  readonly places: Places;
  /** The school's own fields, keyed by kind of record; filled as they are read. */
  readonly own: Map<string, readonly string[]>;
}

export interface Told {
  resource: string | null;
  names: readonly string[];
  rows: number;
}

const MOST_PLACES = 50;

/** Positions from which lists can be resumed, keyed by short names for the model. Keeps the last 50. */
export class Places {
  readonly #kept = new Map<string, Place>();
  #last = 0;

  keep(place: Place): string {
    const name = `c${++this.#last}`;
    this.#kept.set(name, place);
    if (this.#kept.size > MOST_PLACES) this.#kept.delete(this.#kept.keys().next().value as string);
    return name;
  }

  /** @throws ToolProblem if no position has this name. */
  at(name: string): Place {
    const place = this.#kept.get(name);
    if (!place) throw new ToolProblem("this cursor is unknown or has expired; read the list again");
    return place;
  }
}
