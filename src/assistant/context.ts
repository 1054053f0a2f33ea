import type { Catalog } from "./catalog.js";
import type { Sight } from "./classes.js";
import type { Given } from "./input.js";
import { ToolProblem } from "./problem.js";
import type { Session } from "./session.js";

/** An answer that is data. */
export type AnswerData = { readonly [name: string]: unknown };

/** Where a later call goes on. */
export interface Place {
  readonly given: Given;
  /** The list's checkpoint before the page; null for its first page. */
  readonly after: string | null;
  /** Records of the page that were looked at. */
  readonly skip: number;
}

/** What the tools of a session have in common. */
export interface Tools {
  readonly catalog: Catalog;
  readonly session: Session;
  readonly sight: Sight;
  readonly maxTokens: number;
  readonly access: "read" | "plan";
  readonly plans: string | undefined;
  readonly places: Places;
  /** The school's time zone, once it was asked for. */
  readonly zone: { known: string | null };
  /** The school's own fields, by kind of record. */
  readonly own: Map<string, readonly string[]>;
}

/** What a call tells the audit while it runs. */
export interface Told {
  resource: string | null;
  names: readonly string[];
  rows: number;
}

const MOST_PLACES = 50;

/** Where lists go on. A model gets a short name for each. */
export class Places {
  readonly #kept = new Map<string, Place>();
  #last = 0;

  keep(place: Place): string {
    const name = `c${++this.#last}`;
    this.#kept.set(name, place);
    if (this.#kept.size > MOST_PLACES) this.#kept.delete(this.#kept.keys().next().value as string);
    return name;
  }

  /** @throws ToolProblem when there is none of that name. */
  at(name: string): Place {
    const place = this.#kept.get(name);
    if (!place) throw new ToolProblem("this cursor is not known here, or too old; read the list again");
    return place;
  }
}
