import { expect, test } from "vitest";
import { MainClient } from "../../src/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { options } from "../support/clients.js";
import { toolsOf } from "./support.js";

const sandbox = createSandbox({ size: "small", rateLimit: false });
// The key may not see one account: no list shows it, and reading it is a 404.
const [{ account_id: gone } = { account_id: 0 }] = await new MainClient(sandbox).orders.list().toArray();
const client = new MainClient({
  ...options(),
  ...sandbox,
  fetch: async (url, init) => {
    const { pathname } = new URL(url);
    if (pathname.endsWith(`/accounts/${gone}`)) return Response.json({ message: "Not found" }, { status: 404 });
    const response = await sandbox.fetch(url, init);
    if (!pathname.endsWith("/accounts")) return response;
    const records = (await response.json()) as { readonly id: number }[];
    return Response.json(
      records.filter(({ id }) => id !== gone),
      { headers: response.headers },
    );
  },
});
const orders = await client.orders.list().with({ account: true }).toArray();
const unread = orders.filter(({ account_id }) => account_id === gone).length;
const tools = () => toolsOf(client, { requests: 300, maxTokens: 4_000 });

test("records that could not be read are a group of their own, and told once for each record", async () => {
  const kinds = Map.groupBy(orders, ({ account }) => account?.account_type ?? "(unread)");
  expect(kinds.get("(unread)" as never)).toHaveLength(unread);
  const answer = await tools().count?.({
    from: "orders",
    with: ["account"],
    by: "account.account_type",
    distinct: "account.id",
  });
  expect(Object.fromEntries(answer?.rows.map(([kind, count]) => [kind, count]) ?? [])).toEqual(
    Object.fromEntries([...kinds].map(([kind, { length }]) => [kind, length])),
  );
  expect(answer).toMatchObject({ left_out: { unread_records: { account: unread } } });
  expect(answer?.note).toContain(`Unknown in ${unread} records: the fields of account, which could not be read`);
  const where = { from: "orders", with: ["account"], having: "account.account_type=null" };
  expect(await tools().count?.(where)).toMatchObject({ count: 0, left_out: { unread_records: { account: unread } } });
  const { fields, ...all } = { ...where, having: `account_id=${gone}`, fields: ["id", "account.account_type"] };
  expect(await tools().read?.({ ...all, fields })).toMatchObject({ left_out: { unread_records: { account: unread } } });
  expect((await tools().read?.({ ...all, fields: ["id"] }))?.left_out).toBeUndefined();
  const id = orders.find(({ account_id }) => account_id === gone)?.id;
  expect(await tools().read?.({ from: "orders", with: ["account"], id, fields })).toMatchObject({
    rows: [[id, null]],
    left_out: { unread_records: { account: 1 } },
  });
  expect(await tools().read?.(where)).toMatchObject({ rows: [], left_out: { unread_records: { account: unread } } });
});

test("each group has its number of different values", async () => {
  const answer = await tools().count?.({ from: "orders", by: "status", distinct: "account_id" });
  const groups = [...Map.groupBy(orders, ({ status }) => status)].map(([status, those]) => [
    status,
    those.length,
    new Set(those.map(({ account_id }) => account_id)).size,
  ]);
  expect(answer?.fields).toEqual(["status", "count", "distinct_account_id"]);
  expect(answer?.rows.toSorted()).toEqual(groups.toSorted());
  expect(answer?.distinct_account_id).toBe(new Set(orders.map(({ account_id }) => account_id)).size);
});

test.each([
  [{ by: "status,account_id" }, /^`by` takes only one field/],
  [{ by: "account.account_type" }, /add with: \["account"\]/],
  [{ having: "account.account_type=company" }, /add with: \["account"\]/],
])("%o is refused with what to do", async (input, why) => {
  expect((await tools().count?.({ from: "orders", ...input }))?.error).toMatch(why);
});
