import { globSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { listen } from "../../../../src/sandbox/node.ts";
import { start } from "../../../support/program.ts";
import { place } from "../../support/place.ts";

function _cents(amount: string): bigint {
  const [, whole = "", fraction = ""] = /^(-?\d+)\.(\d\d)$/.exec(amount) ?? [];
  return BigInt(whole + fraction);
}

describe("accounting-export", () => {
  test("continues after a kill, loses nothing, has nothing twice, and fetches no PDF again", async () => {
    const { sandbox, cwd, env, read, rows } = await place();
    for (let more = 0; more < 300; more++) sandbox.store.invoices.insert({ status: "open" });
    const due = sandbox.store.invoices.filter(({ status }) => status !== "concept");
    // The third page of the first run never comes: killed there, two are kept.
    let pages = 0;
    const server = await listen({
      fetch: async (input, init) =>
        ++pages === 3 ? new Promise<Response>(() => undefined) : sandbox.fetch(input, init),
    });
    onTestFinished(() => server.close());
    env.EDUCATION_ADMIN_BASE_URL = server.url;
    const first = start("examples/accounting-export/accounting-export.ts", ["--no-pdf"], { cwd, env });
    await expect.poll(() => countLines(join(cwd, "export/invoices.csv.part")), { timeout: 15_000 }).toBe(201);
    const size = statSync(join(cwd, "export/invoices.csv.part")).size;
    const state = () => (exists(join(cwd, "export/invoices.csv.state")) ? read("export/invoices.csv.state") : "");
    await expect.poll(state).toContain(`"size":${size}`);
    first.process.kill("SIGKILL");
    await first.ended;
    const asked = sandbox.requests.length;

    const second = await start("examples/accounting-export/accounting-export.ts", [], { cwd, env }).ended;
    expect([second.code, second.output]).toEqual([0, expect.stringContaining(`${due.length} invoices`)]);
    const ids = rows("export/invoices.csv").map(({ id }) => Number(id));
    expect(ids.sort((a, b) => a - b)).toEqual(due.map(({ id }) => id));
    const lists = sandbox.requests.slice(asked).filter(({ operation }) => operation === "invoices.list");
    expect(lists.length).toBeLessThan(4);

    const third = await start("examples/accounting-export/accounting-export.ts", [], { cwd, env }).ended;
    expect(third.code).toBe(0);
    const pdfs = sandbox.requests.filter(({ operation }) => operation === "invoices.getPdf");
    expect(pdfs.length).toBe(due.length);
  });
});

describe("accounting-export, when the service", () => {
  const file = "examples/accounting-export/accounting-export.ts";

  test("leaves payments out of its list, reads those of invoices of which something is paid", async () => {
    const { sandbox, cwd, env, rows } = await place();
    const server = await listen({
      fetch: async (input, init) => {
        const request = new Request(input, init);
        const answer = await sandbox.fetch(request);
        if (!new URL(request.url).pathname.endsWith("/invoices")) return answer;
        const invoices = ((await answer.json()) as object[]).map((invoice) => ({ ...invoice, payments: undefined }));
        return new Response(JSON.stringify(invoices), answer);
      },
    });
    onTestFinished(() => server.close());
    const { code } = await start(file, ["--no-pdf", "--no-orders"], {
      cwd,
      env: { ...env, EDUCATION_ADMIN_BASE_URL: server.url },
    }).ended;

    expect(code).toBe(0);
    const { invoices, payments } = sandbox.store;
    expect(rows("export/payments.csv")).toHaveLength(payments.count);
    const paid = invoices.filter(
      ({ total_incl, total_open, status }) => status !== "concept" && total_incl !== total_open,
    );
    const read = sandbox.requests.filter(({ operation }) => operation === "payments.listForInvoice");
    expect(read).toHaveLength(paid.length);
  });

  test.each([403, 404])("answers %s to the key, says why and keeps what it has", async (status) => {
    const { sandbox, cwd, env, rows } = await place();
    sandbox.faults.next({ operation: "orders.list", status, count: Number.POSITIVE_INFINITY });
    const { code, output } = await start(file, [], { cwd, env }).ended;
    expect([code, output]).toEqual([1, expect.stringMatching(new RegExp(`^orders.list.*${status}`))]);
    expect(rows("export/invoices.csv").length).toBeGreaterThan(0);
    sandbox.faults.clear();
    expect((await start(file, ["--no-pdf"], { cwd, env }).ended).code).toBe(0);
  });

  test("has no address or key, says which variable is missing", async () => {
    const { cwd } = await place();
    const { code, output } = await start(file, [], { cwd }).ended;
    expect([code, output]).toEqual([1, expect.stringContaining("EDUCATION_ADMIN_BASE_URL")]);
  });

  test("was stopped in the middle of a write, goes on from the state that is whole", async () => {
    const { sandbox, cwd, env, rows } = await place();
    mkdirSync(join(cwd, "export"));
    for (const torn of ['{"checkpoint":"abc', "", '{"checkpoint":"abc","size":5}'])
      for (const name of ["invoices", "orders", "payments"]) {
        writeFileSync(join(cwd, `export/${name}.csv.part`), "id,num");
        writeFileSync(join(cwd, `export/${name}.csv.state`), torn);
        if (name !== "payments") continue;
        const { code, output } = await start(file, ["--no-pdf"], { cwd, env }).ended;
        expect([torn, code, output]).toEqual([torn, 0, expect.any(String)]);
        expect(rows("export/orders.csv")).toHaveLength(sandbox.store.orders.count);
      }
  });
});

function exists(file: string): boolean {
  return globSync(file).length > 0;
}

function countLines(file: string): number {
  return exists(file) ? readFileSync(file, "utf8").trimEnd().split("\n").length : 0;
}
