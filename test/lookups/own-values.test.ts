import { expect, it } from "vitest";
import { MainClient } from "../../src/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { chance } from "../support/chance.js";

const CALLS = 5_000;
const AT_ONCE = 50;

type Plain = Record<string, unknown>;

/** Changes every part of a value, at every depth. */
function spoil(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  for (const inner of Object.values(value)) spoil(inner);
  if (Array.isArray(value)) value.push("spoilt");
  else for (const key of Object.keys(value)) (value as Plain)[key] = "spoilt";
}

it("a caller that changes a returned value changes it for no other caller", async () => {
  const sandbox = createSandbox({ size: 300, rateLimit: false });
  const asWritten = new MainClient({ ...sandbox, rateLimit: false });
  const accounts = new Map((await asWritten.accounts.list().toArray()).map((each) => [each.id, JSON.stringify(each)]));
  const invoices = new Map((await asWritten.invoices.list().toArray()).map((each) => [each.id, JSON.stringify(each)]));
  const names = [...accounts.values()].map((text) => (JSON.parse(text) as { name: string }).name);

  const client = new MainClient({ ...sandbox, rateLimit: false });
  const byName = client.accounts.lookup("name");
  const wrong: string[] = [];
  let [shown, joined] = [0, 0];
  const check = (what: string, known: Map<number, string>, record: { readonly id: number } | null) => {
    shown++;
    if (JSON.stringify(record) !== known.get(record?.id ?? 0)) wrong.push(what);
    spoil(record);
  };
  const random = chance(37);
  const some = () => 1 + Math.floor(random() * 40);
  const name = () => names[some()] as string;
  const calls: Record<string, () => Promise<void>> = {
    get: async () => check("get", accounts, await client.accounts.get(some())),
    list: async () => {
      const { records } = await client.accounts.list({ per_page: 10 });
      for (const record of records) check("list", accounts, record);
    },
    with: async () => {
      const { records } = await client.invoices.list({ per_page: 20 }).with({ account: true });
      for (const { account, ...invoice } of records) {
        if (account) joined++;
        if (account) check("with", accounts, account);
        check("with", invoices, invoice);
      }
    },
    getMany: async () => {
      const id = some();
      const many = client.accounts.getMany([id, some(), id]);
      for (const record of [...(await many), ...(await many)]) check("getMany", accounts, record);
    },
    lookup: async () => check("lookup", accounts, await byName.get(name())),
    lookupMany: async () => {
      const twice = name();
      for (const record of await byName.getMany([twice, twice, name()])) check("lookup.getMany", accounts, record);
    },
    add: async () => {
      const record = JSON.parse(accounts.get(some()) as string) as { id: number } & Plain;
      await byName.add(record as never);
      spoil(record);
    },
  };
  const kinds = Object.values(calls);
  for (let made = 0; made < CALLS; made += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, () => kinds[Math.floor(random() * kinds.length)]?.()));
  }
  expect(wrong).toEqual([]);
  expect(shown).toBeGreaterThan(CALLS);
  expect(joined).toBeGreaterThan(CALLS);
});
