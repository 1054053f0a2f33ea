import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MainClient } from "education-admin-sdk";
import { type AssistantTool, assistantTools } from "education-admin-sdk/assistant";
import { apply } from "education-admin-sdk/bulk";
import { createSandbox, type Sandbox } from "education-admin-sdk/sandbox";
import { COUNTING } from "./counting.ts";
import { PLANNING } from "./planning.ts";
import { PROGRAMS } from "./programs.ts";
import { READING } from "./reading.ts";
import type { Answer, Given, Hands, Reason, Records, Task } from "./task.ts";

/** All tasks. */
export const TASKS: readonly Task[] = [...COUNTING, ...READING, ...PLANNING, ...PROGRAMS];

/** Solves a task with the tools, or with a program. */
export type Solver = (hands: Hands, tools: readonly AssistantTool[]) => Promise<unknown>;

const COLLECTIONS = [
  "accounts",
  "attendances",
  "courseLocations",
  "courses",
  "discountCodes",
  "enrollments",
  "invoices",
  "labels",
  "leads",
  "meetingLocations",
  "meetings",
  "orders",
  "plannedCourses",
  "tasks",
  "users",
  "webhooks",
] as const;

/** A school in which solutions are tried, each from the same state. */
export class School {
  readonly #sandbox: Sandbox = createSandbox({ now: "2026-01-05T12:00:00Z" });
  readonly #first = this.#sandbox.snapshot();
  readonly #records = recordsOf(this.#sandbox);

  /** Tries a solution. @returns why it is wrong; nothing when it is right. */
  async try(task: Task, solve: Solver): Promise<readonly Reason[]> {
    const sandbox = this.#sandbox;
    sandbox.restore(this.#first);
    task.prepare?.(sandbox);
    const before = task.prepare ? recordsOf(sandbox) : this.#records;
    const folder = await mkdtemp(join(tmpdir(), "evals-"));
    try {
      const connection = { baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey, fetch: sandbox.fetch };
      const client = new MainClient({ ...connection, rateLimit: false });
      const tools = assistantTools(client, {
        ...task.options,
        ...(task.options.access === "plan" && { plans: folder }),
      });
      const answer = await solve(handsOf(tools, client), tools);
      const requests = [...sandbox.requests];
      const files = (await readdir(folder)).filter((name) => name.endsWith(".plan"));
      // As the person does who has read them.
      for (const file of files) await apply(client, join(folder, file), { sideEffects: ["available_places"] });
      const isChanged = sandbox.requests.some(({ method }) => method !== "GET");
      return task.grade({
        answer,
        requests,
        plans: files.length,
        before,
        after: isChanged ? recordsOf(sandbox) : before,
      });
    } finally {
      await rm(folder, { recursive: true });
    }
  }
}

function recordsOf({ store }: Sandbox): Records {
  return new Map(
    COLLECTIONS.map((name) => [name, new Map([...store[name]].map((record) => [record.id, JSON.stringify(record)]))]),
  );
}

function handsOf(tools: readonly AssistantTool[], client: MainClient): Hands {
  const ask = async (name: string, input: Given) => tools.find((tool) => tool.name === name)?.execute(input);
  const data = async (name: string, input: Given): Promise<Answer> => ({
    rows: [],
    ...((await ask(name, input)) as Given),
  });
  return {
    client,
    describe: async (input = {}) => String(await ask("describe", input)),
    read: (input) => data("read", input),
    count: (input) => data("count", input),
    plan: (input) => data("plan", input),
  };
}
