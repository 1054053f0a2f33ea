import { existsSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type BulkError, once } from "../../src/bulk/node.js";
import { MainClient } from "../../src/index.js";
import { createSandbox, type Fault } from "../../src/sandbox/index.js";
import { failure } from "../support/manual-clock.js";
import { testFolder } from "./support/folder.js";

const CREATE = "payments.createForInvoice";
const payment = { amount: "1.25", date: "2030-06-30" };

/** A school, and a program that pays the school's invoice 7 exactly once. */
function school() {
  const sandbox = createSandbox({ size: "small" });
  const client = new MainClient({ ...sandbox, retry: false });
  const mark = testFolder()("invoice-7.paying");
  const isMine = ({ amount, date }: { amount: string; date?: string | null | undefined }) =>
    Number(amount) === 1.25 && date?.slice(0, 10) === payment.date;
  const find = async () => (await client.payments.listForInvoice(7).toArray()).find(isMine);
  const make = () => client.payments.createForInvoice(7, payment);
  const pay = (options = {}) => once(mark, { find, make, settleMs: 1, ...options });
  const fail = (fault: Fault) => sandbox.faults.next({ operation: CREATE, ...fault } as Fault);
  return { sandbox, mark, pay, fail, find, make, stored: async () => sandbox.store.payments.filter(isMine).length };
}

test.each<[string, Fault]>([
  ["by a lost connection, although it was carried out", { reset: true, applied: true }],
  ["by a lost connection", { reset: true }],
  ["503", { status: 503 }],
  ["503, although it was carried out", { status: 503, applied: true }],
  ["by a login page with 200", { html: true, status: 200 }],
  ["by half a record", { cut: true }],
])("one record is created when a create is answered %s", async (_, fault) => {
  for (const times of [1, 2]) {
    const { pay, fail, mark, stored } = school();
    fail({ times, ...fault });
    expect(Number((await pay()).amount)).toBe(1.25);
    expect([await stored(), existsSync(mark)]).toEqual([1, false]);
    await pay();
    expect(await stored()).toBe(1);
  }
});

test.each([[[]], [false]])("find must return a record or undefined, not %j", async (nothing) => {
  const { pay, stored, mark } = school();
  await expect(pay({ find: async () => nothing })).rejects.toThrow("once: find must return a record or undefined, not");
  expect([await stored(), existsSync(mark)]).toEqual([0, false]);
});

test("the record is returned as it was found, even if the list shows it late", async () => {
  const { find, make, pay, mark, stored } = school();
  let looks = 0;
  const findLater = async () => (++looks > 2 && (await find()) ? "found" : null);
  expect(await pay({ find: findLater, make: () => make().then(() => "made"), settleMs: 1_001 })).toBe("found");
  expect([looks, await stored(), existsSync(mark)]).toEqual([3, 1, false]);
});

test.each<[string, Fault | null]>([
  ["with another record, or none", null],
  ["with half a record", { cut: true }],
])("a create that was answered %s is never sent again", async (_, fault) => {
  const { sandbox, mark, pay, fail } = school();
  if (fault) fail(fault);
  // Starts twice, like a program that is restarted.
  for (let starts = 0; starts < 2; starts++) {
    expect(await failure(pay({ find: async () => null }))).toMatchObject({
      reason: "stopped",
      message: expect.stringContaining("reported that it created the record"),
    });
    expect(sandbox.calls(CREATE)).toHaveLength(1);
  }
  expect(existsSync(mark), "the mark exists").toBe(true);
  await pay();
  expect([sandbox.calls(CREATE).length, existsSync(mark)]).toEqual([1, false]);
});

test("after a kill, the next start gives the service time before it looks for the record", async () => {
  const { mark, pay, find, make, stored } = school();
  writeFileSync(mark, "");
  let isSettled = false;
  // The service carries out the killed program's request while the next program waits.
  const late = new Promise((done) => setTimeout(done, 5)).then(make);
  const findSlowly = async () => {
    isSettled = true;
    await late;
    return find();
  };
  const paid = pay({ settleMs: 20, find: findSlowly });
  expect(isSettled).toBe(false);
  await paid;
  expect(await stored()).toBe(1);
});

test("a refusal leaves no mark, unless an earlier request is in doubt", async () => {
  const { mark, pay, fail } = school();
  fail({ status: 422 });
  expect(await failure(pay())).toMatchObject({ status: 422 });
  expect(existsSync(mark), "the mark exists").toBe(false);
  fail({ reset: true });
  fail({ status: 422 });
  expect(await failure(pay())).toMatchObject({ status: 422 });
  expect(existsSync(mark), "the mark exists").toBe(true);
});

test("if the look for the record fails, the mark stays and nothing is sent", async () => {
  const { mark, sandbox, pay, stored } = school();
  writeFileSync(mark, "");
  sandbox.faults.next({ operation: "payments.listForInvoice", status: 403 });
  expect(await failure(pay())).toMatchObject({ status: 403 });
  expect([await stored(), existsSync(mark)]).toEqual([0, true]);
});

test("after three requests without a result nothing more is sent, and one call at a time holds the mark", async () => {
  const { sandbox, pay, fail } = school();
  fail({ times: 9, reset: true });
  const [first, second] = await Promise.all([failure<BulkError>(pay()), failure<BulkError>(pay())]);
  expect([first.reason, second.reason].sort()).toEqual(["in_use", "stopped"]);
  expect(sandbox.calls(CREATE)).toHaveLength(3);
});
