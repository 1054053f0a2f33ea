import { describe, expect, test } from "vitest";
import { apply, plan, rowsOf } from "../../src/bulk/node.js";
import { MainClient } from "../../src/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { testFolder } from "./support/folder.js";
import { connection } from "./support/school.js";

/** A school that rewrites one field of each new record, and a client of that school. */
function rewriting(size: number | "small", field: string, rewrite: (text: string) => string) {
  const sandbox = createSandbox({ size, skipWaits: true });
  const fetch: typeof sandbox.fetch = (url, init) => {
    if (init?.method !== "POST") return sandbox.fetch(url, init);
    const body = JSON.parse(String(init.body));
    return sandbox.fetch(url, { ...init, body: JSON.stringify({ ...body, [field]: rewrite(body[field]) }) });
  };
  return { sandbox, client: new MainClient({ ...connection(sandbox), fetch, retry: { limit: 2 } }) };
}

async function reasons(path: string) {
  const found: string[] = [];
  for await (const { outcome, why } of rowsOf(path)) if (outcome === "unknown") found.push(why[0]?.message ?? "");
  return found;
}

const leads = (count: number) => Array.from({ length: count }, (_, at) => ({ title: `Ada  Fox ${at}` }));

describe("a create whose response was lost and whose key the service has rewritten", () => {
  test.each([
    ["with single blanks", (text: string) => text.replace(/\s+/g, " ")],
    ["in capitals", (text: string) => text.toUpperCase()],
    ["in another form of the letters", (text: string) => text.replace("A", "\uFF21").replace("o", "\u00F6")],
  ])("is not sent again in any run: %s", async (_, rewrite) => {
    const at = testFolder();
    const { sandbox, client } = rewriting("small", "title", rewrite);
    await plan(client.leads, leads(5), { to: at("a.plan"), key: "title" });
    const before = [...sandbox.store.leads].length;
    const lost = { operation: "leads.create", reset: true, applied: true } as const;
    sandbox.faults.next({ operation: "leads.create" }, lost, lost);
    for (let run = 0; run < 2; run++) {
      expect(await apply(client, at("a.plan"))).toMatchObject({ created: 3, unknown: 2, doubled: 0 });
      expect([...sandbox.store.leads].length).toBe(before + 5);
    }
    const ids = [...sandbox.store.leads].slice(-5).map(({ id }) => id);
    for (const reason of await reasons(at("a.plan"))) {
      expect(reason).toMatch(/^the response was lost, and a record may belong to this row: [\d, ]+$/);
      expect(ids).toContain(Number(/\d+$/.exec(reason)?.[0]));
    }
  });

  test("is not mistaken for a record from before the plan, or for another row's", async () => {
    const at = testFolder();
    const { sandbox, client } = rewriting("small", "title", (text) => text);
    await client.leads.create({ title: "ADA FOX 1", quality: null });
    await plan(client.leads, [...leads(2), { title: "Ada Fox 1" }], {
      to: at("a.plan"),
      key: "title",
      allowAlike: true,
    });
    sandbox.faults.next({ operation: "leads.create" }, { operation: "leads.create", reset: true });
    expect(await apply(client, at("a.plan"))).toMatchObject({ created: 3, complete: true });
  });

  test("is looked for in the whole list before the list's filter is trusted", async () => {
    const at = testFolder();
    const { sandbox, client } = rewriting(1000, "email", (text) => text.replace(/\.(?=.*@)/, ""));
    const rows = [1, 2, 3, 4].map((n) => ({ email: `ada.${n}@example.com`, first_name: "A", last_name: "B" }));
    rows[0] = { email: "ada@example.com", first_name: "A", last_name: "B" };
    await plan(client.users, rows, { to: at("a.plan"), key: "email" });
    sandbox.faults.next({ operation: "users.create" }, { operation: "users.create", reset: true, applied: true });
    expect(await apply(client, at("a.plan"))).toMatchObject({ created: 3, unknown: 1 });
    expect([...sandbox.store.users].length).toBe(1004);
  });

  test("is not sent again even if nothing can recognize the rewritten key", async () => {
    const at = testFolder();
    const { sandbox, client } = rewriting("small", "title", (text) => [...text].reverse().join(""));
    const before = [...sandbox.store.leads].length;
    await plan(client.leads, leads(4), { to: at("a.plan"), key: "title" });
    sandbox.faults.next({ operation: "leads.create" }, { operation: "leads.create", reset: true, applied: true });
    // The create sent only its key to identify the record, so a response with another key may show someone else's
    // record.
    for (let run = 0; run < 2; run++) {
      expect(await apply(client, at("a.plan"))).toMatchObject({ created: 0, unknown: 4 });
      expect([...sandbox.store.leads].length).toBe(before + 4);
    }
  });
});

test("a create that was carried out twice is reported even if the service has rewritten the two keys differently", async () => {
  const at = testFolder();
  let isFirst = true;
  const { sandbox, client } = rewriting("small", "title", (text) => {
    if (text !== "Ada  Fox 1" || !isFirst) return text;
    isFirst = false;
    return text.toUpperCase();
  });
  await plan(client.leads, leads(3), { to: at("a.plan"), key: "title" });
  const late = { operation: "leads.create", delayMs: Number.POSITIVE_INFINITY, appliedAfterMs: 130_000 } as const;
  sandbox.faults.next({ operation: "leads.create" }, late);
  expect(await apply(client, at("a.plan"))).toMatchObject({ created: 2, doubled: 1, complete: false });
});

test.each([
  ["that the service ignores", (asked: URL) => void asked.searchParams.delete("email")],
  [
    "that refuses a value which nobody has",
    (asked: URL) => {
      if (asked.searchParams.get("email")?.startsWith("nobody")) asked.searchParams.set("per_page", "none");
    },
  ],
])("a filter %s is not used, even though it shows the record used to test it", async (_, spoil) => {
  const at = testFolder();
  const sandbox = createSandbox({ size: 700, skipWaits: true });
  const known = [...sandbox.store.users].map(({ email }) => email);
  const fetch: typeof sandbox.fetch = (url, init) => {
    const asked = new URL(String(url));
    spoil(asked);
    return sandbox.fetch(asked.href, init);
  };
  const client = new MainClient({ ...connection(sandbox), fetch });
  const rows = [known[400], known[600]].map((email) => ({ email, first_name: "Changed" }));
  for (const count of [1, 2]) {
    const options = { to: at(`${count}.plan`), key: "email" } as const;
    const summary = await plan(client.users, rows.slice(0, count), options);
    expect(summary).toMatchObject({ update: count, create: 0 });
    // The seven pages of the list, and one page for each of the two filtered reads.
    expect(summary.read).toBeLessThanOrEqual(9);
  }
});
