import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { apply, type BulkError, plan, rowsOf, undo } from "../../src/bulk/node.js";
import { applyWith } from "../../src/bulk/node-apply.js";
import { planWith } from "../../src/bulk/node-plan.js";
import type { InputError } from "../../src/index.js";
import { machineFiles } from "../../src/work/place/node-files.js";
import { type FailingFiles, filesThatAreFull, filesThatStopAt } from "../export/support/failing-files.js";
import { amount } from "../support/amount.js";
import { failure } from "../support/manual-clock.js";
import { testFolder } from "./support/folder.js";
import { copies, each, people, school } from "./support/school.js";

const STRIDE = amount(5, 1);

/**
 * Applies a plan of four rows repeatedly, each time on a disk that fails one step later, until a run meets no failure.
 */
async function atEveryStep(failingAt: (step: number) => FailingFiles, check: (error: Error, path: string) => void) {
  for (let step = 1; ; step += STRIDE) {
    const path = testFolder()("a.plan");
    const { sandbox, client } = school();
    await plan(client.users, people(4), { to: path, key: "email" });
    const disk = failingAt(step);
    const ended = await applyWith(disk.files, client, path, {}).then(
      () => null,
      (error: Error) => error,
    );
    if (!disk.failed) return step - 1;
    if (ended) check(ended, path);
    expect(await apply(client, path)).toMatchObject({ created: 4, complete: true });
    expect(copies(sandbox)).toEqual(each(4));
  }
}

test("a disk that is full at any write ends the run with advice; the next run loses nothing and creates nothing twice", async () => {
  const steps = await atEveryStep(
    (step) => filesThatAreFull(step, Number.POSITIVE_INFINITY),
    (error, path) => {
      expect(error).toMatchObject({ code: "bulk", reason: "stopped" });
      expect(error.message).toBe(`${path}: the disk is full. Nothing is lost: make room, then apply the plan again.`);
    },
  );
  expect(steps).toBeGreaterThan(10);
});

test("after a disk has stopped at any step, nothing is lost or created twice", async () => {
  const steps = await atEveryStep(
    (step) => filesThatStopAt(step, 0.5),
    () => undefined,
  );
  expect(steps).toBeGreaterThan(15);
});

test("a full disk ends planning with advice", async () => {
  const at = testFolder();
  const { client } = school();
  for (let step = 1; ; step += STRIDE) {
    const disk = filesThatAreFull(step, Number.POSITIVE_INFINITY);
    const options = { to: at("a.plan"), key: "email" as never };
    const error = await planWith(disk.files, client.users, people(600), options).then(
      () => null,
      (problem: BulkError) => problem,
    );
    if (!disk.failed) break;
    const message = `${at("a.plan")}: the disk is full. No plan was made: make room, then plan again.`;
    expect(error).toMatchObject({ reason: "stopped", message });
    expect(await failure<BulkError>(apply(client, at("a.plan")))).toMatchObject({ reason: "not_a_plan" });
  }
  let rows = 0;
  for await (const { outcome } of rowsOf(at("a.plan"))) if (outcome === null) rows++;
  expect(rows).toBe(600);
});

describe("a path that cannot be written", () => {
  test("is refused before the service is read", async () => {
    const at = testFolder();
    const { sandbox, client } = school();
    mkdirSync(at("folder"));
    writeFileSync(at("notes.txt"), "Buy milk\n");
    const refused: readonly (readonly [string, string])[] = [
      [at("none/a.plan"), `cannot be written; the folder ${at("none")} does not exist`],
      [at("folder"), "is a folder; name a file"],
      [at("notes.txt"), "is a file that is not a plan; name another one"],
      [at("notes.txt/a.plan"), `cannot be written; the folder ${at("notes.txt")} does not exist`],
    ];
    // Tries each path twice, because a failure must not leave a lock behind.
    for (const [to, message] of [...refused, ...refused]) {
      const error = await failure<InputError>(plan(client.users, people(1), { to, key: "email" }));
      expect(error).toMatchObject({ code: "input", issues: [{ path: "to", message }] });
      expect(error.message).toBe(`plan: ${to} ${message}.`);
    }
    expect(sandbox.requests).toHaveLength(0);
    expect(readFileSync(at("notes.txt"), "utf8")).toBe("Buy milk\n");
  });

  test("on a full disk that cannot create a file is named with advice", async () => {
    const at = testFolder();
    const create = () => Promise.reject(Object.assign(new Error("ENOSPC: no space left"), { code: "ENOSPC" }));
    const planned = planWith({ ...machineFiles, create }, school().client.users, people(1), {
      to: at("a.plan"),
      key: "email" as never,
    });
    const message = `${at("a.plan")}: the disk is full. No plan was made: make room, then plan again.`;
    expect(await failure(planned)).toMatchObject({ reason: "stopped", message });
  });

  test("leaves the plan unchanged if the system reports another error", async () => {
    const at = testFolder();
    const { client } = school();
    await plan(client.users, people(2), { to: at("a.plan"), key: "email" });
    const denyOpen = () => Promise.reject(Object.assign(new Error("EIO: i/o error"), { code: "EIO" }));
    const error = await failure<BulkError>(applyWith({ ...machineFiles, open: denyOpen }, client, at("a.plan"), {}));
    const message = "the file cannot be written (EIO). Nothing is lost: fix that, then apply the plan again.";
    expect(error.message).toBe(`${at("a.plan")}: ${message}`);
    expect(await apply(client, at("a.plan"))).toMatchObject({ created: 2 });
  });
});

test("a file that cannot be read is not a plan", async () => {
  const at = testFolder();
  const { client } = school();
  mkdirSync(at("folder"));
  const message = `${at("folder")}: cannot be read (EISDIR).`;
  expect(await failure<BulkError>(apply(client, at("folder")))).toMatchObject({ reason: "not_a_plan", message });
  for (const none of [undefined, null, 7, {}] as never[]) {
    expect(await failure(apply(client, none))).toMatchObject({ code: "input" });
    expect(await failure(rowsOf(none).next())).toMatchObject({ code: "input" });
    expect(await failure(undo(none, { to: at("b.plan") }))).toMatchObject({ code: "input" });
  }
});
