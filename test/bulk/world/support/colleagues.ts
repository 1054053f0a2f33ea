import { apply, type BulkRow, plan, rowsOf } from "../../../../src/bulk/node.js";
import { MainClient } from "../../../../src/index.js";
import { createSandbox, type Sandbox } from "../../../../src/sandbox/index.js";
import { chance } from "../../../support/chance.js";
import { journalOf } from "./program.js";
import { timeOf } from "./sandbox-time.js";
import { LATENCY_MS } from "./service-process.js";
import { SkippingClock } from "./skipping-clock.js";

const START = "2026-01-05T12:00:00.000Z";

/** A resource, chosen for the way its records are read before a change. */
export interface Way {
  readonly resource: "accounts" | "labels" | "materials";
  /** Creates records. @returns their identifiers. */
  readonly make: (sandbox: Sandbox, count: number) => number[];
  /** The row of the plan that changes a record. */
  readonly row: (id: number) => Readonly<Record<string, unknown>>;
  /** The paths that colleagues may change: `planned` ones, which the plan sends, and `others`. */
  readonly planned: readonly string[];
  readonly others: readonly string[];
}

export const WAYS: Readonly<Record<"one by one" | "by the filter" | "by the whole list", Way>> = {
  "one by one": {
    resource: "accounts",
    make: (sandbox, count) => {
      const address = { address: "Street 1", postal_code: "1000 AA", city: "Town", country: "NL" };
      const add = (at: number) =>
        sandbox.store.accounts.insert({
          name: `Account ${at}`,
          phone: null,
          account_type: "business",
          address,
        } as never).id;
      return Array.from({ length: count }, (_, at) => add(at));
    },
    row: (id) => ({ id, phone: `+31 20 ${id}`, "address_attributes.city": `City ${id}` }),
    planned: ["phone", "address.city"],
    others: ["email", "name", "address.postal_code"],
  },
  "by the filter": {
    resource: "labels",
    make: (sandbox, count) =>
      Array.from(
        { length: count },
        (_, at) => sandbox.store.labels.insert({ name: `Label ${at}`, model_type: "User" }).id,
      ),
    row: (id) => ({ id, color: `#${String(id).padStart(6, "0")}` }),
    planned: ["color"],
    others: ["name"],
  },
  "by the whole list": {
    resource: "materials",
    make: (sandbox, count) =>
      Array.from({ length: count }, (_, at) => sandbox.store.materials.insert({ name: `Material ${at}` }).id),
    row: (id) => ({ id, name: `Planned ${id}` }),
    planned: ["name"],
    others: ["use_type"],
  },
};

/** The outcome of the changes that colleagues made during a run. */
export interface Outcome {
  readonly changes: number;
  /** Changes that the run overwrote although it could have seen them, and other wrong outcomes. */
  readonly broken: readonly string[];
  /** The number of changes that a write overwrote because they came after its read, within a round trip. */
  readonly withinRoundTrip: number;
  readonly stale: number;
  readonly requests: number;
}

interface Change {
  readonly id: number;
  readonly path: string;
  readonly value: string;
  at: number;
}

// The time for a read and a write, each sent together with nine others.
const ROUND_TRIP_MS = 10 * 4 * LATENCY_MS;

/**
 * Applies a plan of corrections within the service's real request budget while colleagues change records at random
 * times.
 */
export async function applyAmongColleagues(way: Way, rows: number, count: number, seed: number): Promise<Outcome> {
  const random = chance(seed);
  const sandbox = createSandbox({ size: "small", now: START });
  const seen: { at: number; method: string; ids: number[]; status: number }[] = [];
  const clock = new SkippingClock(Date.parse(START));
  const { baseUrl, apiKey } = sandbox;
  const { send } = timeOf(sandbox, (at, { method, url, status }, text) => {
    seen.push({ at, method, ids: idsOf(url, text), status });
  });
  const client = new MainClient({ baseUrl, apiKey, clock, fetch: send(clock) });
  const ids = way.make(sandbox, rows);
  const to = journalOf([]);
  const resource = client[way.resource];
  const { minutes } = await plan(resource as never, ids.map(way.row), { to, key: "id" as never });
  if (seed % 2 === 0) {
    sandbox.faults.next({ operation: `${way.resource}.update`, retryAfter: 45, probability: 0.03, times: 20 });
  }
  await sandbox.clock.advance(clock.now() - sandbox.clock.now());
  const changes = drawChanges(way, ids, count, random);
  for (const change of changes) {
    const after = Math.round(random() * minutes * 60_000);
    sandbox.clock.setTimeout(() => {
      change.at = sandbox.clock.now();
      write(sandbox, way, change);
    }, after);
  }
  // Without this, three changes of one field would count as effects of the writes.
  const sideEffects = [...new Set(changes.map(({ path }) => path.replace("address.", "address_attributes.")))];
  const { requests } = await apply(client, to, { sideEffects });
  const found = new Map<number | null, BulkRow>();
  for await (const row of rowsOf(to)) found.set(row.id, row);
  const made = changes.filter(({ at }) => at > 0);
  const judged = made.map((change) => judge(sandbox, way, change, found.get(change.id), seen));
  const untouched = ids.filter((id) => !changes.some((change) => change.id === id));
  const wrong = untouched.filter((id) => found.get(id)?.outcome !== "updated");
  return {
    changes: made.length,
    broken: [
      ...judged.flatMap((verdict) => (typeof verdict === "string" && verdict !== "within" ? [verdict] : [])),
      ...wrong.map((id) => `${id} is ${found.get(id)?.outcome} though nobody else changed it`),
    ].map((text) => `seed ${seed}: ${text}`),
    withinRoundTrip: judged.filter((verdict) => verdict === "within").length,
    stale: made.filter(({ id }) => found.get(id)?.outcome === "stale").length,
    requests,
  };
}

/**
 * @returns null for a change that was handled correctly, `within` for one that the run could not have seen, otherwise
 * the problem.
 * @returns null for a change that was handled correctly, `within` for one that the run could not have seen, otherwise
 * the problem.
 */
function judge(
  sandbox: Sandbox,
  way: Way,
  { id, path, value, at }: Change,
  row: BulkRow | undefined,
  seen: readonly { at: number; method: string; ids: number[]; status: number }[],
): string | null {
  const requests = seen.filter(({ ids, status }) => ids.includes(id) && status < 300);
  const written = requests.find(({ method, at: when }) => method === "PUT" && when >= at);
  const before = requests.findLast((read) => read.method === "GET" && read.at <= (written?.at ?? 0));
  const survives = valueIn(sandbox, way, id, path) === value;
  const where = `${way.resource} ${id}, ${path} at ${at}: read at ${before?.at}, written at ${written?.at}, ${row?.outcome}`;
  if (!survives) {
    if (!written || !before || before.at > at) return `${where}: overwritten though it was read`;
    return written.at - before.at <= ROUND_TRIP_MS ? "within" : `${where}: overwritten`;
  }
  const wasWritten = requests.some(({ method }) => method === "PUT");
  if (way.planned.includes(path) && !wasWritten && row?.outcome !== "stale") return `${where}: should be stale`;
  if (wasWritten && row?.outcome !== "updated") return `${where}: was written`;
  if (way.others.includes(path) && row?.outcome !== "updated") return `${where}: should be updated`;
  return null;
}

function drawChanges(way: Way, ids: readonly number[], count: number, random: () => number): Change[] {
  const left = [...ids];
  const pick = <T>(items: readonly T[]) => items[Math.floor(random() * items.length)] as T;
  return Array.from({ length: count }, (_, n) => {
    const [id = 0] = left.splice(Math.floor(random() * left.length), 1);
    const path = pick(random() < 0.7 ? way.planned : way.others);
    const value =
      path === "color" ? `#ff${String(n).padStart(4, "0")}` : path === "use_type" ? "consumable" : `Foreign ${n}`;
    return { id, path, value, at: 0 };
  });
}

type Plain = Readonly<Record<string, unknown>>;

function write(sandbox: Sandbox, way: Way, { id, path, value }: Change): void {
  const [top = "", below] = path.split(".");
  const store = sandbox.store[way.resource];
  const record = store.get(id) as unknown as Plain;
  const whole = below === undefined ? value : { ...(record[top] as Plain), [below]: value };
  store.update(id, { [top]: whole });
}

function valueIn(sandbox: Sandbox, way: Way, id: number, path: string): unknown {
  const record = sandbox.store[way.resource].get(id) as unknown as Plain;
  return path.split(".").reduce<unknown>((value, name) => (value as Plain | null)?.[name], record);
}

function idsOf(url: string, text: string): number[] {
  const [, pathId] = /\/(\d+)$/.exec(new URL(url).pathname) ?? [];
  if (pathId) return [Number(pathId)];
  return text.startsWith("[") ? (JSON.parse(text) as { id: number }[]).map(({ id }) => id) : [];
}
