import type { MainClient } from "education-admin-sdk";
import type { AssistantOptions } from "education-admin-sdk/assistant";
import type { RecordedRequest, Sandbox } from "education-admin-sdk/sandbox";

/** What a solution may use: the tools, as functions, or a client for a program that was written with the skill alone. */
export interface Hands {
  describe(input?: Given): Promise<string>;
  read(input: Given): Promise<Answer>;
  count(input: Given): Promise<Answer>;
  plan(input: Given): Promise<Answer>;
  readonly client: MainClient;
}

export type Given = Readonly<Record<string, unknown>>;

/** A tool's answer that is data. */
export interface Answer {
  readonly rows: readonly (readonly unknown[])[];
  readonly [name: string]: unknown;
}

/** Answers a task's question. */
export type Solution = (hands: Hands) => Promise<unknown>;

/** Where a solution failed. */
export type Reason = "answer" | "requests" | "writes" | "records" | "plans";

/** What a solution did. */
export interface Done {
  readonly answer: unknown;
  /** Requests of the solution itself, without those of the person who applies its plans. */
  readonly requests: readonly RecordedRequest[];
  /** Plans that it left. */
  readonly plans: number;
  /** Records before it began, and after a person has applied its plans. */
  readonly before: Records;
  readonly after: Records;
}

/** Records by collection and identifier, as JSON text. */
export type Records = ReadonlyMap<string, ReadonlyMap<number, string>>;

/** One task. */
export interface Task {
  readonly name: string;
  readonly question: string;
  /** What its solution may use. A model is given the tools. */
  readonly by: "tools" | "program";
  readonly options: AssistantOptions;
  readonly prepare?: (sandbox: Sandbox) => void;
  readonly solve: Solution;
  /** Why what was done is wrong; empty when it is right. */
  readonly grade: (done: Done) => readonly Reason[];
}

/** The records of a collection. */
export function all<T>(records: Records, collection: string): T[] {
  return [...(records.get(collection)?.values() ?? [])].map((text) => JSON.parse(text) as T);
}

/** Grades a question: its answer, at most so many requests, all of them GETs, and nothing changed. */
export function answered(expected: (records: Records) => unknown, most: number): Task["grade"] {
  return (done) => [
    ...onlyRead(done, most),
    ...(JSON.stringify(done.answer) === JSON.stringify(expected(done.before)) ? [] : ["answer" as const]),
    ...(done.plans === 0 ? [] : ["plans" as const]),
    ...(differences(done).size === 0 ? [] : ["records" as const]),
  ];
}

/** Fields that a record has after a change; of a new one, its identifier is null. */
export interface Change {
  readonly collection: string;
  readonly id: number | null;
  readonly fields: Given;
}

/** Grades a change: one plan, only GETs until a person applies it, and then these records with these fields, once each, and no other. */
export function planned(expected: (records: Records) => readonly Change[], most: number): Task["grade"] {
  return (done) => [
    ...onlyRead(done, most),
    ...(done.plans === 1 ? [] : ["plans" as const]),
    ...changed(done, expected(done.before)),
  ];
}

/** Grades a change that a program makes itself: at most so many requests, and these records once each, and no other. */
export function written(expected: (records: Records) => readonly Change[], most: number): Task["grade"] {
  return (done) => [
    ...(done.requests.length <= most ? [] : ["requests" as const]),
    ...changed(done, expected(done.before)),
  ];
}

function onlyRead({ requests }: Done, most: number): Reason[] {
  return [
    ...(requests.length <= most ? [] : ["requests" as const]),
    ...(requests.every(({ method }) => method === "GET") ? [] : ["writes" as const]),
  ];
}

function changed(done: Done, expected: readonly Change[]): Reason[] {
  const found = differences(done);
  const rest = new Map(found);
  for (const { collection, id, fields } of expected) {
    const fits = [...rest].find(
      ([, change]) =>
        change.collection === collection &&
        (id === null ? change.before === null : change.id === id) &&
        isAs(change, fields),
    );
    if (!fits) return ["records"];
    rest.delete(fits[0]);
  }
  return rest.size === 0 ? [] : ["records"];
}

interface Difference {
  readonly collection: string;
  readonly id: number;
  readonly before: Given | null;
  readonly after: Given | null;
}

// A new record has the given fields, a changed one differs in them alone.
function isAs({ before, after }: Difference, fields: Given): boolean {
  if (!after) return false;
  const isGiven = Object.entries(fields).every(([path, value]) => same(at(after, path), value));
  const named = Object.keys(fields).map((path) => path.split(".")[0]);
  // The service writes these itself.
  const own = ["updated_at", "slug", ...named];
  return (
    isGiven &&
    (before === null || Object.keys(after).every((name) => own.includes(name) || same(before[name], after[name])))
  );
}

function at(record: unknown, path: string): unknown {
  return path.split(".").reduce<unknown>((value, name) => (value as Given | null)?.[name], record);
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function differences({ before, after }: Done): Map<string, Difference> {
  const found = new Map<string, Difference>();
  for (const [collection, records] of after) {
    const old = before.get(collection);
    for (const id of new Set([...records.keys(), ...(old?.keys() ?? [])])) {
      const [was, is] = [old?.get(id), records.get(id)];
      if (was === is) continue;
      const parsed = (text: string | undefined) => (text === undefined ? null : (JSON.parse(text) as Given));
      found.set(`${collection} ${id}`, { collection, id, before: parsed(was), after: parsed(is) });
    }
  }
  return found;
}
