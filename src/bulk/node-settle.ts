import { resolve } from "node:path";
import type { Client } from "../clients/client.js";
import { inputError } from "../core/call/request.js";
import type { Page } from "../core/lists/pages.js";
import { acceptAny, must, type OptionTable, readOptions } from "../core/option-checks.js";
import { instantOf } from "../work/days.js";
import { machineFiles } from "../work/place/node-files.js";
import { keysOf, readKnown } from "./known.js";
import { targetFor } from "./node-apply.js";
import { lockOf } from "./node-journal.js";
import { Memory } from "./node-memory.js";
import type { UnsettledRow } from "./node-memory-lines.js";
import { type BulkRecord, Service } from "./service.js";
import type { SettleOptions, SettleReport } from "./types.js";

const SETTLE_OPTIONS = {
  absent: [
    /* @__PURE__ */ must<readonly number[]>(
      (value) => Array.isArray(value) && value.every(Number.isInteger),
      "must be a list of row numbers",
    ),
    [],
  ],
  signal: [acceptAny<AbortSignal>],
} satisfies OptionTable<SettleOptions>;

// A service may give its times a wrong UTC offset, so they can be off by up to a day.
const DAY_MS = 86_400_000;
const MOST_TOLD = 5;

/**
 * Checks in the service whether creates of unknown outcome in earlier runs of a file were carried out, so that later
 * runs need not refuse their rows. Sends only GETs; stores the results in `<to>.memory`.
 * @throws InputError if the file has no memory or an option is invalid; BulkError `in_use` while a run of the file is
 * active, `other_school`; the client's errors.
 * @example
 * await run(client.users, [{ email: "jo@school.example" }], { to: "students.plan", key: "email" });
 * const { found, absent, open } = await settle(client, "students.plan");
 * console.log(found.length, absent.length, open);
 */
export async function settle(client: Client, to: string, options: SettleOptions = {}): Promise<SettleReport> {
  const fail = (path: string, message: string) => inputError("settle", [{ path, message }]);
  const { absent, signal } = readOptions(options, SETTLE_OPTIONS, fail);
  const header = typeof to === "string" ? await Memory.resourceIn(to, machineFiles) : null;
  if (header === null) throw fail("to", "must be the file of a run that has ended, with its .memory file next to it");
  const lock = await lockOf(`${resolve(to)}.run`, to, true, machineFiles);
  try {
    const memory = await Memory.of(to, targetFor(client, header, to), machineFiles);
    const report: SettleReport = { found: [], absent: [], open: [] };
    const lists = Map.groupBy(memory.unsettled, ({ params, list, key }) => JSON.stringify([params, list, key]));
    for (const rows of lists.values()) {
      const { params } = rows[0] as UnsettledRow;
      const service = new Service(targetFor(client, { ...header, params }, to), { pace: null, signal });
      await settleList(service, rows, absent, memory, report);
    }
    await memory.save();
    return report;
  } finally {
    await lock.release();
  }
}

async function settleList(
  service: Service,
  rows: readonly UnsettledRow[],
  absent: readonly number[],
  memory: Memory,
  report: SettleReport,
): Promise<void> {
  const [{ key: paths, list: params }] = rows as readonly [UnsettledRow];
  const keyed = { service, params, paths };
  const keyOf = keysOf(service.target, paths);
  const shown = new Map<number, { readonly hash: number | null; readonly isKnown: boolean; readonly made: unknown }>();
  const onPage = ({ records }: Page<BulkRecord>) => {
    for (const record of records) {
      const key = keyOf(record);
      const hash = key === null ? null : memory.keyIn(paths, params, key);
      const isKnown = hash !== null && memory.idOf(hash) === record.id;
      shown.set(record.id, { hash, isKnown, made: instantOf(record.created_at) });
    }
  };
  const { short } = await readKnown(keyed, { kept: [], rows: null, onPage });
  const all = [...shown];
  // A list that shows none of the records of earlier runs cannot prove that a record is absent.
  const proves = short === null && (memory.createdIn(params) === null || all.some(([, { isKnown }]) => isKnown));
  for (const { row, plan, open, at, id } of rows) {
    const named = all.flatMap(([id, { hash }]) => (hash === open ? id : []));
    const own = id !== undefined && (shown.has(id) || (await service.one(id)) !== null) ? [id] : [];
    const ids = named.length > 0 ? named : own;
    const distance = (made: unknown) => (typeof made === "number" ? Math.abs(made - at) : Number.POSITIVE_INFINITY);
    const others = all
      .filter(([id, { isKnown, made }]) => {
        return !isKnown && !memory.named.has(id) && (typeof made !== "number" || made >= at - DAY_MS);
      })
      .sort(([, one], [, other]) => distance(one.made) - distance(other.made) || 0)
      .map(([id]) => id);
    const isAbsent = ids.length === 0 && (absent.includes(row) || (proves && others.length === 0));
    const kind = ids.length === 1 ? "found" : isAbsent ? "absent" : "open";
    if (kind !== "open") memory.settle(open, ids[0]);
    report[kind].push({ row, plan, ids: kind === "open" && ids.length === 0 ? others.slice(0, MOST_TOLD) : ids });
  }
}
