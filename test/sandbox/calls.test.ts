import { describe, expect, expectTypeOf, test } from "vitest";
import { AdminClient, type Invoice, MainClient } from "../../src/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { ask } from "./support.js";

describe("calls", () => {
  test("contain the input and the record of each request for an operation, with its types", async () => {
    const sandbox = createSandbox({ size: 10, now: "2030-01-01T09:00:00.000Z" });
    const client = new MainClient(sandbox);
    const { id } = sandbox.store.invoices.insert({ status: "concept" });
    await client.accounts.create({ name: "Example Ltd", email: "office@school.example" });
    const opened = await client.invoices.open(id);
    const [call, ...more] = sandbox.calls("invoices.open");
    expect(more).toEqual([]);
    expect(call).toEqual({
      operation: "invoices.open",
      params: { id },
      query: {},
      body: null,
      status: 200,
      data: opened,
      error: null,
      at: Date.parse("2030-01-01T09:00:00.000Z"),
    });
    expectTypeOf(call?.params.id).toEqualTypeOf<number | undefined>();
    expectTypeOf(call?.data).toEqualTypeOf<Invoice | null | undefined>();
    expect(sandbox.calls("accounts.create")[0]?.body.email).toBe("office@school.example");
  });

  test("contain the filters as values, and the records of a page", async () => {
    const sandbox = createSandbox({ size: 10 });
    await new MainClient(sandbox).invoices.list({ status: ["open", "expired"], per_page: 3 });
    const [call] = sandbox.calls("invoices.list");
    expect(call?.query).toEqual({ status: ["open", "expired"], per_page: 3 });
    expect(call?.data?.filter(({ status }) => status !== "open" && status !== "expired")).toEqual([]);
  });

  test("contain dates as text, as they were sent", async () => {
    const sandbox = createSandbox({ size: 10 });
    const end_date = new Date("2030-02-03T00:00:00.000Z");
    await new MainClient(sandbox).enrollments.update(1, { end_date });
    const [call] = sandbox.calls("enrollments.update");
    expectTypeOf(call?.body.end_date).toEqualTypeOf<string | null | undefined>();
    expect(call?.body.end_date).toBe("2030-02-03");
  });

  test("contain the errors of the service, of faults and of a broken connection", async () => {
    const sandbox = createSandbox({ size: 10 });
    const client = new MainClient({ ...sandbox, retry: false });
    sandbox.faults.next({ operation: "accounts.create", errors: { email: ["is taken"] } });
    sandbox.faults.next({ operation: "accounts.create", reset: true });
    sandbox.faults.next({ operation: "accounts.create", html: true });
    for (const name of ["A", "B", "C"]) await client.accounts.create({ name }).catch(() => undefined);
    await client.accounts.get(99).catch(() => undefined);
    const told = sandbox
      .calls("accounts.create")
      .map(({ body, status, data, error }) => [body.name, status, data, error]);
    expect(told).toEqual([
      ["A", 422, null, { code: 422, message: "Unprocessable Entity", errors: { email: ["is taken"] } }],
      ["B", null, null, null],
      ["C", 502, null, null],
    ]);
    expect(sandbox.calls("accounts.get")).toMatchObject([{ params: { id: 99 }, status: 404, error: { code: 404 } }]);
  });

  test("contain refused input as it was sent, but no request for an unknown path", async () => {
    const sandbox = createSandbox({ size: 10 });
    await ask(sandbox, "api/v1/accounts?per_page=lots");
    await ask(sandbox, "api/v1/accounts", { method: "POST", body: "{" });
    await ask(sandbox, "api/v1/nothing");
    expect(sandbox.calls("accounts.list")).toMatchObject([{ query: { per_page: "lots" }, status: 400 }]);
    expect(sandbox.calls("accounts.create")).toMatchObject([{ body: "{", status: 400 }]);
    expect([sandbox.requests.length, sandbox.calls().length]).toEqual([3, 2]);
  });

  test("contain Admin's input if Main and Admin differ", async () => {
    const sandbox = createSandbox({ size: 10 });
    const created = await new AdminClient(sandbox.admin).comments.listForOrders().first();
    expect(sandbox.calls("comments.listForOrders")[0]?.data).toEqual(created.records);
  });

  test("stay unchanged if the record changes, and are forgotten by reset", async () => {
    const sandbox = createSandbox({ size: 10 });
    const { name } = await new MainClient(sandbox).accounts.get(1);
    sandbox.store.accounts.update(1, { name: "Later" });
    expect(sandbox.calls("accounts.get")[0]?.data?.name).toBe(name);
    sandbox.reset();
    expect(sandbox.calls("accounts.get")).toEqual([]);
  });

  test("of an unknown operation cannot be listed", () => {
    const sandbox = createSandbox({ size: 1 });
    // @ts-expect-error -- this operation does not exist.
    expect(() => sandbox.calls("invoice.open")).toThrow(
      '"invoice.open" is not the id of an operation; did you mean "invoices.open"?',
    );
  });
});

describe("latency", () => {
  test("delays every response on the sandbox's clock, in addition to a fault's delay", async () => {
    const sandbox = createSandbox({ size: 5, now: "2030-01-01T00:00:00.000Z", latency: 40_000 });
    sandbox.faults.next({ delayMs: 10_000 });
    const answered = ask(sandbox, "api/v1/accounts/1").then(({ status }) => status);
    await sandbox.clock.advance(49_999);
    expect(await Promise.race([answered, "waiting"])).toBe("waiting");
    await sandbox.clock.advance(1);
    expect(await answered).toBe(200);
  });

  test("can be set for each request", async () => {
    const asked: (string | null)[] = [];
    const sandbox = createSandbox({
      size: 5,
      skipWaits: true,
      now: "2030-01-01T00:00:00.000Z",
      latency: ({ operation }) => {
        asked.push(operation);
        return operation === "accounts.get" ? 5_000 : 0;
      },
    });
    await ask(sandbox, "api/v1/accounts");
    const before = sandbox.clock.now();
    await ask(sandbox, "api/v1/accounts/1");
    expect(sandbox.clock.now() - before).toBe(5_000);
    expect(asked).toEqual(["accounts.list", "accounts.get"]);
  });

  test.each([-1, Number.NaN, Number.POSITIVE_INFINITY, "5"])("%s is refused", async (latency) => {
    expect(() => createSandbox({ latency: latency as number })).toThrow(RangeError);
    const sandbox = createSandbox({ size: 1, latency: () => latency as number });
    await expect(ask(sandbox, "api/v1/accounts")).rejects.toThrow(
      "latency must be a non-negative number of milliseconds",
    );
  });
});
