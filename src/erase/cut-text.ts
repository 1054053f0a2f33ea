import { BulkError } from "../bulk/errors.js";
import { layoutOf } from "../bulk/file/header.js";
import { csvRecords } from "../bulk/file/rows.js";
import { forgetRecords } from "../bulk/node-memory-lines.js";
import { isPlainObject } from "../core/json.js";
import { knownFields, type Person, resourcesWith, type Values } from "./person.js";
import { cutPlans } from "./plan-lines.js";

export type FileKind = "plan" | "memory" | "records" | "table";

export interface CutText {
  readonly text: string;
  readonly records: number;
  readonly parts: number;
  /** Number of remaining rows whose identifier or address may be the person's. */
  readonly doubts: number;
  readonly isUnfinished: boolean;
}

/**
 * Takes a person's rows out of the text of a plan, its .memory file, an NDJSON file or a CSV file. Other rows stay
 * unchanged.
 * @returns null for a damaged plan or .memory file.
 */
export function cutText(kind: FileKind, text: string, file: string, person: Person): Promise<CutText | null> {
  if (kind === "plan") return cutPlanText(text, person);
  if (kind === "memory") return cutMemory(text, person);
  return kind === "records" ? cutRecords(text, file, person) : cutTable(text, file, person);
}

async function cutPlanText(text: string, person: Person): Promise<CutText | null> {
  const all = text.split("\n");
  // The part after the last line break is empty or an incomplete line, which does not count.
  all.pop();
  const cut = await cutPlans(all, person).catch((error: unknown) => {
    if (error instanceof SyntaxError) return null;
    throw error;
  });
  if (cut === null) return null;
  const { lines, rows, doubts, isUnfinished } = cut;
  const left = lines.flatMap((line) => (line === null ? [] : [`${line}\n`])).join("");
  return { text: rows > 0 ? left : text, records: rows, parts: 0, doubts, isUnfinished };
}

async function cutMemory(text: string, person: Person): Promise<CutText | null> {
  try {
    const [left, records] = forgetRecords(text, (resource) => person.idsOf(resource));
    return { text: left, records, parts: 0, doubts: 0, isUnfinished: false };
  } catch (error) {
    if (error instanceof BulkError) return null;
    throw error;
  }
}

async function cutRecords(text: string, file: string, person: Person): Promise<CutText> {
  let [records, parts, doubts] = [0, 0, 0];
  const resources = new Map<string, readonly string[]>();
  const lines = text.split(/(?<=\n)/).map((line) => {
    const record = recordIn(line);
    if (record === null) return line;
    const names = Object.keys(record);
    const key = names.join();
    const may = resources.get(key) ?? resourcesWith(names, file);
    resources.set(key, may);
    if (person.owns(may, record)) {
      records++;
      return "";
    }
    if (person.mayOwn(may, record)) doubts++;
    const rest = person.cut(may.length === 1 ? may[0] : undefined, record);
    if (rest === record) return line;
    parts++;
    return `${JSON.stringify(rest)}\n`;
  });
  return { text: lines.join(""), records, parts, doubts, isUnfinished: false };
}

function recordIn(line: string): Values | null {
  try {
    const record: unknown = JSON.parse(line);
    return isPlainObject(record) ? record : null;
  } catch {
    return null;
  }
}

async function cutTable(text: string, file: string, person: Person): Promise<CutText> {
  const mark = text.startsWith("\uFEFF") ? "\uFEFF" : "";
  const body = text.slice(mark.length);
  const known = new Set(knownFields());
  const { delimiter, header } = await layoutOf(body.slice(0, 65_536), (name) => known.has(name));
  let columns: readonly string[] = [];
  let resources: readonly string[] = [];
  let [row, records, at, doubts] = [0, 0, 0, 0];
  let left = mark;
  for await (const { cells, raw } of csvRecords([body], delimiter)) {
    const end = at + raw.length;
    const next = end + (body.startsWith("\r\n", end) ? 2 : end < body.length ? 1 : 0);
    row++;
    if (row === header) {
      columns = cells.map((cell) => cell.trim());
      resources = resourcesWith(
        columns.filter((column) => column !== "" && !column.startsWith("_")),
        file,
      );
    }
    const record = Object.fromEntries(cells.map((cell, place) => [columns[place] || `_${place}`, cell]));
    // Without a known list or header, an identifier may belong to any kind of record, so only e-mail addresses count.
    const isNamed = row > header && resources.length > 0;
    const values = isNamed ? record : { ...record, id: null };
    const lists = isNamed ? resources : [];
    const isOwned = person.owns(lists, values);
    if (isOwned) records++;
    else if (person.mayOwn(lists, values)) doubts++;
    if (!isOwned) left += body.slice(at, next);
    at = next;
  }
  return { text: left, records, parts: 0, doubts, isUnfinished: false };
}

/** Counts the person's texts in the bytes, plain or escaped for JSON or CSV; ignores the case of e-mail addresses. */
export function countTexts(bytes: Buffer, person: Person): number {
  // Latin-1 can decode any bytes, even those of a database.
  const [exact, small] = [bytes.toString("latin1"), bytes.toString("latin1").toLowerCase()];
  const forms = (text: string) => [text, JSON.stringify(text).slice(1, -1), text.replaceAll('"', '""')];
  const has = (form: string, isAddress: boolean) => {
    const letters = Buffer.from(form).toString("latin1");
    return isAddress ? small.includes(letters.toLowerCase()) : exact.includes(letters);
  };
  const values = new Set([...person.values].map((value) => (value.includes("@") ? value.toLowerCase() : value)));
  return [...values].filter((value) => forms(value).some((form) => has(form, value.includes("@")))).length;
}
