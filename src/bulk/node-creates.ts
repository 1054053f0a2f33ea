import { differences } from "./compare.js";
import { BulkError } from "./errors.js";
import { flattened } from "./fields.js";
import type { PlannedRow } from "./lines.js";
import { Looker } from "./look.js";
import { MOST_TRIES, type Run } from "./node-run.js";
import { sideBySide } from "./pool.js";

/**
 * Sends the creates of a plan. One whose response was lost is sent again only after a reading of the list that shows a record
 * this plan has created: a list that shows none of them cannot show either that one is missing.
 */
export class Creates {
  readonly #run: Run;
  readonly #rows: readonly PlannedRow[];
  readonly #looker: Looker;
  /** Whether the list has shown a record that this plan has created. */
  #isProven = false;

  /** @param rows all creates of the plan, also those that are done. */
  constructor(run: Run, rows: readonly PlannedRow[]) {
    this.#run = run;
    this.#rows = rows;
    this.#looker = new Looker(run.service, run.state.header, run.name);
    for (const row of rows) {
      const { done } = run.stateOf(row);
      if (done?.done === "created") this.#looker.created(row, done.id ?? 0);
    }
  }

  /** @throws BulkError `blind` when the list does not show what was created, `stopped` after too many equal failures. */
  async send(open: readonly PlannedRow[]): Promise<void> {
    if (open.length === 0) return;
    const run = this.#run;
    const unsent = open.filter((row) => !run.isInDoubt(row));
    let again = await this.#settled(unsent);
    // Somebody may have made the records since the plan, with another plan for example.
    const planned: PlannedRow[] = [];
    for (const row of unsent) if (!(await this.#noteFound(row))) planned.push(row);
    // Until the list has proven itself, one create goes after the other, and each is looked for at once.
    for (let row = planned[0]; !this.#isProven && row; row = planned[0]) {
      const [doubt] = this.#doubts();
      planned.shift();
      await this.#create(row);
      again = await this.#settled();
      if (!this.#isProven && doubt && run.isInDoubt(row)) {
        const message = `${run.name}: the responses to the creates of rows ${doubt.row} and ${row.row} were lost, and the list shows no record of this plan, so it cannot show what was created. Nothing more was sent.`;
        throw new BulkError("blind", message);
      }
    }
    for (let todo = [...again, ...planned]; todo.length > 0; todo = await this.#settled()) {
      await sideBySide(todo, (row) => this.#create(row));
    }
    for (const row of this.#doubts()) await run.end(row, "unknown", UNPROVEN);
  }

  /** Looks once more for what was sent more than once: the service may have carried out the first one late. */
  async lookForDoubles(): Promise<void> {
    const run = this.#run;
    const again = this.#rows.filter((row) => {
      const { tries, done, once } = run.stateOf(row);
      return tries.length > 1 && done?.done === "created" && !once;
    });
    if (again.length === 0) return;
    await run.settle(again, 3 * run.settleMs);
    await this.#looker.look(again);
    for (const row of again) {
      const ids = [...new Set([...this.#looker.newer(row), ...this.#looker.alike(row)])];
      if (ids.length > 1) await run.end(row, "doubled", doubled(ids));
      else await run.note({ row: row.row, once: true });
    }
  }

  #doubts(): PlannedRow[] {
    return this.#rows.filter((row) => this.#run.isInDoubt(row));
  }

  // Looks once for all creates in doubt, and for others. @returns those in doubt that are to be sent again.
  async #settled(others: readonly PlannedRow[] = []): Promise<PlannedRow[]> {
    const run = this.#run;
    run.check();
    const doubts = this.#doubts();
    const isNothingToSee = doubts.length === 0 && (this.#isProven || !this.#looker.last);
    if (isNothingToSee && others.length === 0) return [];
    await run.settle(doubts, run.settleMs);
    await this.#looker.look(doubts, others);
    const missing: PlannedRow[] = [];
    for (const row of doubts) if (!(await this.#noteFound(row))) missing.push(row);
    this.#isProven = this.#looker.last !== null;
    const again: PlannedRow[] = [];
    for (const row of missing) {
      const message = this.#whyNotAgain(row);
      if (message !== null) await run.end(row, "unknown", message);
      else if (this.#isProven) again.push(row);
    }
    return again;
  }

  // Why a create in doubt that the list does not show must not be sent again.
  #whyNotAgain(row: PlannedRow): string | null {
    const { last, keepsKeys } = this.#looker;
    const alike = this.#looker.alike(row);
    if (alike.length > 0) {
      return `the response was lost, and a record may be this row's, as its key differs only in case, accents, blanks or punctuation: ${alike.join(", ")}`;
    }
    if (last && !keepsKeys) {
      return `the response was lost, and the list cannot show the record: record ${last.id} does not have the key that was sent for row ${last.row.row}`;
    }
    if (last && this.#run.sent(row) >= MOST_TRIES) {
      return `was sent ${MOST_TRIES} times without a response, and the list does not show it`;
    }
    return null;
  }

  async #create(row: PlannedRow): Promise<void> {
    const run = this.#run;
    const { create } = run.target.rows;
    if (!create || run.isStopped || (await this.#noteFound(row))) return;
    const send = row.send ?? {};
    const sent = await run.send(row, () => run.service.call(create, run.target.params, send, run.timeout));
    const id = sent?.data?.id;
    // Without an identifier it stays in doubt.
    if (!Number.isSafeInteger(id)) return;
    this.#looker.created(row, id as number);
    const differs = differences(run.target, flattened(send), sent?.data, "create");
    await run.note({ row: row.row, done: "created", id: id as number, ...differs });
  }

  // What the last look has found for a create: its record, if it is in doubt, or somebody else's.
  async #noteFound(row: PlannedRow): Promise<boolean> {
    const run = this.#run;
    const ids = this.#looker.newer(row);
    const [id] = ids;
    if (id === undefined) return false;
    if (!run.isInDoubt(row)) {
      await run.end(row, "stale", `a record with this key was made since the plan: ${ids.join(", ")}`);
    } else if (ids.length > 1) await run.end(row, "doubled", doubled(ids));
    else {
      this.#looker.created(row, id);
      await run.note({ row: row.row, done: "created", id });
    }
    return true;
  }
}

const doubled = (ids: readonly number[]) => `${ids.length} records have this key: ${ids.join(", ")}`;

const UNPROVEN =
  "the response was lost and no record of this plan shows that the list is complete, so it was not sent again; look for it in the service, then plan the rows again in another file";
