import type { Solver } from "./run.ts";
import type { Answer, Given, Hands, Reason, Task } from "./task.ts";

/** A solution made wrong in one way, and what its grader must say. */
export interface Mutant {
  readonly name: string;
  readonly expected: Reason;
  readonly solve: Solver;
}

/** What a right solution did: which ways to be wrong apply to it. */
interface Trace {
  answer: unknown;
  hasFilter: boolean;
  hasCursor: boolean;
  /** Rows of its plan. */
  rows: readonly Given[];
}

/** Watches a right solution at work. */
export function watched(task: Task): { readonly trace: Trace; readonly solve: Solver } {
  const trace: Trace = { answer: undefined, hasFilter: false, hasCursor: false, rows: [] };
  const solve: Solver = async (hands) => {
    const noted = (answer: Promise<Answer>, { where, cursor }: Given): Promise<Answer> => {
      if (where !== undefined && !hasOnly(where, "sort")) trace.hasFilter = true;
      if (cursor !== undefined) trace.hasCursor = true;
      return answer;
    };
    trace.answer = await task.solve({
      ...hands,
      read: (input) => noted(hands.read(input), input),
      count: (input) => noted(hands.count(input), input),
      plan: (input) => {
        trace.rows = input.rows as readonly Given[];
        return hands.plan(input);
      },
    });
    return trace.answer;
  };
  return { trace, solve };
}

/** The ways in which a task's solution can be wrong. */
export function mutantsOf(task: Task, trace: Trace): Mutant[] {
  const { solve } = task;
  const changes = trace.rows.length > 0 || trace.answer === undefined;
  // A webhook's plan is refused: its rows change nothing.
  const isPlan = trace.rows.length > 0 && trace.answer !== "refused";
  const made: (Mutant | false)[] = [
    !changes && {
      name: "answers something else",
      expected: "answer",
      solve: async (hands) => other(await solve(hands)),
    },
    !changes && { name: "answers before it has looked", expected: "answer", solve: async () => null },
    hasAmounts(trace.answer) && {
      name: "adds up with floats",
      expected: "answer",
      solve: async (hands) => withFloats(await solve(hands)),
    },
    trace.hasFilter && {
      name: "forgets the filter",
      expected: isPlan ? "records" : "answer",
      solve: (hands) => solve(withInputs(hands, ({ where: _, ...input }) => input)),
    },
    trace.hasCursor && {
      name: "stops after the first page",
      expected: "answer",
      solve: (hands) =>
        solve({ ...hands, read: async (input) => ({ ...(await hands.read(input)), cursor: undefined }) }),
    },
    {
      name: "reads record by record",
      expected: "requests",
      solve: async (hands) => {
        const answer = await solve(hands);
        for (let id = 1; id <= 30; id++) await hands.client.users.getMany([id]);
        return answer;
      },
    },
    (task.by === "tools" || !changes) && {
      name: "writes by itself",
      expected: "writes",
      solve: async (hands) => {
        await hands.client.labels.update(1, { name: "Other" });
        return solve(hands);
      },
    },
    task.options.access === "plan" && {
      name: "plans something of its own",
      expected: "plans",
      solve: async (hands) => {
        await hands.plan({ to: "courseLocations", key: "name", rows: [{ name: "Elsewhere" }], why: "no reason" });
        return solve(hands);
      },
    },
    changes &&
      task.by === "program" && {
        name: "creates a record twice",
        expected: "records",
        solve: async (hands) => {
          await solve(hands);
          await hands.client.users.create({ email: "cy2@new.example", first_name: "Cy", last_name: "Eck" });
        },
      },
    changes && task.by === "program" && { name: "does nothing", expected: "records", solve: async () => undefined },
    isPlan && { name: "plans nothing", expected: "plans", solve: async () => "00000000" },
    isPlan && {
      name: "leaves out a row, or plans a value that was not asked for",
      expected: "records",
      solve: (hands) => solve(withRows(hands, (rows) => (rows.length > 1 ? rows.slice(1) : rows.map(wrong)))),
    },
    isPlan && {
      name: "plans another record as well",
      expected: "records",
      solve: (hands) => solve(withRows(hands, (rows) => [...rows, ...rows.slice(0, 1).map(another)])),
    },
  ];
  return made.filter((mutant) => mutant !== false);
}

function hasOnly(value: unknown, name: string): boolean {
  return Object.keys(value as object).every((each) => each === name);
}

function other(answer: unknown): unknown {
  if (typeof answer === "number") return answer + 1;
  if (typeof answer === "string")
    return /^\d+\.\d\d$/.test(answer) ? `${answer.slice(0, -1)}${(Number(answer.at(-1)) + 1) % 10}` : `${answer} `;
  return Array.isArray(answer) ? answer.slice(0, -1) : answer === null ? 0 : null;
}

function hasAmounts(answer: unknown): boolean {
  return JSON.stringify(withFloats(answer)) !== JSON.stringify(answer);
}

function withFloats(answer: unknown): unknown {
  if (Array.isArray(answer)) return answer.map(withFloats);
  return typeof answer === "string" && /^\d+\.\d\d$/.test(answer) ? Number(answer) : answer;
}

function withInputs(hands: Hands, change: (input: Given) => Given): Hands {
  return { ...hands, read: (input) => hands.read(change(input)), count: (input) => hands.count(change(input)) };
}

function withRows(hands: Hands, change: (rows: readonly Given[]) => readonly Given[]): Hands {
  return { ...hands, plan: (input) => hands.plan({ ...input, rows: change(input.rows as readonly Given[]) }) };
}

// The same row for another record.
function another(row: Given): Given {
  const [[key = "id", value] = []] = Object.entries(row);
  if (key === "email") return { ...row, email: "edda-ipsumsen-1@example.com" };
  if (typeof value !== "number") return { ...row, [key]: `${value} 2` };
  return { ...row, id: value + 7, ...("email" in row && { email: "other@new.example" }) };
}

// Another value in the last field.
function wrong(row: Given): Given {
  const [field = "", value] = Object.entries(row).at(-1) ?? [];
  const changed = typeof value === "number" ? value + 1 : (VALUES[field] ?? `${value}x`);
  return { ...row, [field]: changed };
}

const VALUES: Readonly<Record<string, unknown>> = {
  due_date: "2026-02-02",
  cost: "875.05",
  email: "al@other.example",
  "custom.diet": "vegetarian",
  color: "#112234",
};
