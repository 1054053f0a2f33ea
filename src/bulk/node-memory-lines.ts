import { createHash } from "node:crypto";
import type { Api } from "../core/operation.js";
import { BulkError } from "./errors.js";
import type { Values } from "./fields.js";
import type { RowCounts } from "./file/last-time.js";
import { type Header, rangesOf } from "./lines.js";

/**
 * A create that may have been carried out, or whose record has another key. Until it is settled, rows with its key
 * create no record.
 */
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

/** The memory of a value that was sent: hashes and the day. */
export interface Sent {
  /** Hash of the value; absent if the field has few possible values, which could be guessed from their hashes. */
  readonly h?: string | undefined;
  /** Hash of the value that the service stored instead. */
  readonly g?: string | undefined;
  readonly day: string;
  /** Number of days on which the same value was sent. */
  readonly x: number;
}

/** A finished run of a file. */
export interface Night {
  readonly plan: string;
  readonly day: string;
  /** True if any request was sent, and the plan therefore kept. */
  readonly sent: boolean;
  /** When the plan was continued after an interruption. */
  readonly resumed?: number | undefined;
}

/** The last run, which is the last line of a .memory file. */
export interface NightEnd extends Night, Pick<Header, "keyMark" | "shown"> {
  readonly made: string;
  readonly counts: RowCounts;
}

export interface MemoryHeader {
  readonly memory: 1;
  readonly resource: string;
  readonly api: Api;
  readonly address: string;
  /** Random text: equal values have different hashes in two .memory files. */
  readonly salt: string;
}

export type Line = Partial<
  MemoryHeader &
    UnsettledRow & {
      readonly k: number;
      readonly i: number;
      readonly in: readonly number[];
      readonly s: number;
      readonly f: string;
      readonly created: number;
      readonly was: Night;
      readonly night: NightEnd;
    } & Sent
>;

export const MEMORY_BEGINS = '{"memory":1';

/**
 * Removes records from the text of a .memory file: their keys, identifiers and the hashes of what was sent to them.
 * @param idsOf the identifiers of the records to remove, by resource.
 * @throws BulkError `other_plan` if the file was changed after it was written.
 */
export function forgetRecords(
  text: string,
  idsOf: (resource: string) => ReadonlySet<number>,
): [text: string, records: number] {
  const [header, ...lines] = readLines(text, "a memory");
  const ids = idsOf(header.resource);
  const forgotten = new Set<number>();
  const isForgotten = (id: number | undefined) => {
    const is = id !== undefined && ids.has(id);
    if (is) forgotten.add(id);
    return is;
  };
  const kept = lines.flatMap((line) => {
    if (isForgotten(line.i) || isForgotten(line.s) || isForgotten(line.id)) return [];
    const { in: named, night } = line;
    const { shown, ...others } = night ?? {};
    return {
      ...line,
      ...(named && { in: rangesOf([...idsIn(named)].filter((id) => !isForgotten(id))) }),
      ...(isForgotten(shown?.id) && { night: others as NightEnd }),
    };
  });
  return forgotten.size === 0 ? [text, 0] : [sealLines([header, ...kept]), forgotten.size];
}

/** The identifiers in ranges, which are given as first, last, first, last, … */
export function* idsIn(ranges: readonly number[]): Generator<number, void, undefined> {
  for (let at = 0; at < ranges.length; at += 2) {
    for (let id = ranges[at] ?? 0; id <= (ranges[at + 1] ?? 0); id++) yield id;
  }
}

const SUM = ',"sum":"';
const sumOf = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 16);

/** The text of a .memory file. Its last line ends with a hash of everything before, so that changes are detected. */
export function sealLines(lines: readonly Line[]): string {
  const text = lines
    .map((line) => JSON.stringify(line))
    .join("\n")
    .slice(0, -1);
  return `${text}${SUM}${sumOf(text)}"}\n`;
}

/**
 * Reads the text of a .memory file.
 * @param wanted the resource and address that it must have.
 * @throws BulkError if the text is not one, belongs to another resource or school, or was changed.
 */
export function readLines(text: string, name: string, wanted?: MemoryHeader): [MemoryHeader, ...Line[]] {
  if (!text.startsWith(MEMORY_BEGINS)) throw damaged(name, "is not the memory of a run");
  const at = text.lastIndexOf(SUM);
  if (at < 0) throw damaged(name, "is not complete");
  if (text.slice(at) !== `${SUM}${sumOf(text.slice(0, at))}"}\n`)
    throw damaged(name, "was changed after it was written");
  const lines = `${text.slice(0, at)}}`.split("\n").map((line) => JSON.parse(line) as Line);
  const { resource, address } = lines[0] as MemoryHeader;
  if (wanted && (resource !== wanted.resource || address !== wanted.address)) {
    const whose = address === wanted.address ? resource : `${resource} of another school`;
    throw new BulkError("other_school", `${name} is the memory of ${whose}. Nothing was sent: use another name.`);
  }
  return lines as [MemoryHeader, ...Line[]];
}

function damaged(name: string, what: string): BulkError {
  const remedy = "move it away, and the next run makes a new one from the plans that are kept beside it";
  return new BulkError("other_plan", `${name} ${what}. Nothing was sent: ${remedy}.`);
}
