import type { Sandbox } from "../../../../src/sandbox/index.js";

export type Values = Readonly<Record<string, unknown>>;

export type BrokenReadings =
  | "one of five ends with 404"
  | "one record ends with 403"
  | "lists show every other record"
  | "lists end early";

/**
 * Responds to a write with success but does not carry it out as sent, or at all. `nth` is the number of the write,
 * counted from 1.
 */
export type Lie = (write: {
  readonly request: Request;
  readonly sandbox: Sandbox;
  readonly nth: number;
  readonly id: number;
  readonly body: Values;
  /** Carries out the write as sent, or with the `changed` values. */
  send(changed?: Values): Promise<Response>;
  /** The identifiers of records that no row of the plan writes. */
  readonly theirs: readonly number[];
  /** Responds to readings of a record with this status for so many milliseconds. */
  hide(id: number, status: number, ms: number): void;
  /**
   * Freezes the form of a record in readings for so many milliseconds; a record that does not exist yet is left out.
   */
  freeze(id: number, ms: number): Promise<void>;
  /** From now on, responds wrongly to readings. */
  breakReadings(how: BrokenReadings): void;
}) => Promise<Response>;

export const answer = (record: unknown, status = 200) => Response.json(record, { status });
export const readRecord = async (sandbox: Sandbox, { url, headers }: Request, id: number): Promise<Values> => {
  const address = `${url.replace(/\/\d+$/, "")}/${id}`;
  return (await (await sandbox.fetch(new Request(address, { headers }))).json()) as Values;
};
export const later = (sandbox: Sandbox, ms: number, work: () => unknown) =>
  void sandbox.clock.setTimeout(() => void work(), ms);

export const refuse = (status: number) =>
  Response.json({ errors: { base: ["is not possible"] }, code: status, message: "No" }, { status });
export const nextLead = (sandbox: Sandbox) => Math.max(...[...sandbox.store.leads].map(({ id }) => id)) + 1;
export const nothing = (status: number) => new Response(null, { status });
