import { createHash } from "node:crypto";
import type { Api } from "../core/operation.js";
import { BulkError } from "./errors.js";
import type { Values } from "./fields.js";
import type { RowCounts } from "./file/last-time.js";
import { type Header, rangesOf } from "./lines.js";

/** A create that may have been carried out, or whose record has another key: no row with its key creates a record. */
export interface UnsettledRow {
  /** Hash of the key. */
  readonly open: number;
  readonly row: number;
  readonly plan: string;
  readonly key: readonly string[];
  /** Path parameters of the plan and of the list. */
  readonly params?: Values | undefined;
  readonly list: Values;
  /** When the last request was sent, in milliseconds since the epoch. */
  readonly at: number;
  /** The record that was created, if it is known. */
  readonly id?: number | undefined;
}

/** A value that was sent to a record. */
export interface Sent {
  /** Hash of the value; absent if the field has so few values that anyone could guess it. */
  readonly h?: string | undefined;
  /** Hash of the value that the service stored instead. */
  readonly g?: string | undefined;
  readonly day: string;
  /** Number of days on which the same value was sent. */
  readonly x: number;
}

export interface Night {
  readonly plan: string;
  readonly day: string;
  /** True if any of its requests was sent, so that its plan was kept. */
  readonly sent: boolean;
  /** When the plan was continued after an interruption. */
  readonly resumed?: number | undefined;
}

/** The last line of a night. Lines after the last such line do not count. */
export interface NightEnd extends Night, Pick<Header, "keyMark" | "shown"> {
  readonly made: string;
  readonly counts: RowCounts;
}

export interface MemoryHeader {
  readonly memory: 1;
  readonly resource: string;
  readonly api: Api;
  readonly address: string;
  /** Makes the hashes of two memories differ. */
  readonly salt: string;
}

/** A line of a memory. */
export type Line = Partial<
  MemoryHeader &
    UnsettledRow & {
      readonly k: number;
      readonly i: number;
      readonly in: readonly number[];
      readonly out: readonly number[];
      readonly shut: number;
      readonly s: number;
      readonly f: string;
      readonly created: number;
      readonly was: Night;
      readonly night: NightEnd;
      readonly sum: string;
    } & Sent
>;

/** The first characters of every memory. */
export const MEMORY_BEGINS = '{"memory":1';

/**
 * Takes records out of the text of a memory: their keys, the hashes of what was sent to them, and their identifiers.
 * @param idsOf the identifiers of the records to take out, by resource.
 * @throws BulkError `other_plan` if the memory was changed after it was written.
 */
export function forgetRecords(
  text: string,
  idsOf: (resource: string) => ReadonlySet<number>,
): [text: string, records: number] {
  const ids = idsOf(headerIn(text, "a memory").resource);
  const forgotten = new Set<number>();
  const isForgotten = (id: number | undefined) => {
    const is = id !== undefined && ids.has(id);
    if (is) forgotten.add(id);
    return is;
  };
  const rangesLeft = (ranges: readonly number[]) => rangesOf([...idsIn(ranges)].filter((id) => !isForgotten(id)));
  let [before, sum] = ["", ""];
  const lines = text.slice(0, text.lastIndexOf("\n")).split("\n");
  const kept = lines.flatMap((one) => {
    const line = lineIn(one);
    before = sumOf(before, line?.sum === undefined ? one : one.slice(0, one.lastIndexOf(',"sum":')));
    if (line?.sum !== undefined && line.sum !== before) throw damaged("a memory", "was changed after it was written");
    if (line === null || isForgotten(line.i) || isForgotten(line.s) || isForgotten(line.id)) return [];
    const { sum: sealed, night, in: joined, out: left, ...rest } = line;
    const { shown, ...others } = night ?? {};
    const told = JSON.stringify({
      ...rest,
      ...(joined && { in: rangesLeft(joined) }),
      ...(left && { out: rangesLeft(left) }),
      ...(night && { night: isForgotten(shown?.id) ? others : night }),
    });
    sum = sumOf(sum, sealed === undefined ? told : told.slice(0, -1));
    return sealed === undefined ? told : `${told.slice(0, -1)},"sum":"${sum}"}`;
  });
  return forgotten.size === 0 ? [text, 0] : [`${kept.join("\n")}\n`, forgotten.size];
}

/** The identifiers in pairs of a first and a last one. */
export function* idsIn(ranges: readonly number[] = []): Generator<number, void, undefined> {
  for (let at = 0; at < ranges.length; at += 2) {
    for (let id = ranges[at] ?? 0; id <= (ranges[at + 1] ?? 0); id++) yield id;
  }
}

/** The hash of a line and of all lines before it. */
export const sumOf = (before: string, line: string) =>
  createHash("sha256").update(`${before}\n${line}`).digest("hex").slice(0, 16);

/** A line of a memory; null if it is not JSON. */
export function lineIn(text: string): Line | null {
  try {
    return JSON.parse(text) as Line | null;
  } catch {
    return null;
  }
}

/**
 * Reads the first line of a memory.
 * @param wanted the job that must have written it.
 * @throws BulkError if it is no memory, or that of another job.
 */
export function headerIn(text: string, name: string, wanted?: MemoryHeader): MemoryHeader {
  const header = lineIn(text.slice(0, Math.max(0, text.indexOf("\n")))) as MemoryHeader | null;
  if (header?.memory !== 1) throw damaged(name, "is not the memory of a run");
  const { resource, address } = header;
  if (wanted && (resource !== wanted.resource || address !== wanted.address)) {
    const whose = address === wanted.address ? resource : `${resource} of another school`;
    throw new BulkError("other_school", `${name} is the memory of ${whose}. Nothing was sent: use another name.`);
  }
  return header;
}

/** The error for a memory that cannot be used. */
export function damaged(name: string, what: string): BulkError {
  const remedy = "move it away, and the next run makes a new one from the plans that are kept beside it";
  return new BulkError("other_plan", `${name} ${what}. Nothing was sent: ${remedy}.`);
}
