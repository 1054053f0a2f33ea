import { describe, expect, expectTypeOf, test } from "vitest";
import { MainClient, type OperationId } from "../../src/index.js";
import { createSandbox, type Fault, type WebhookFault } from "../../src/sandbox/index.js";
import { InvoiceStatus } from "../../src/schemas.js";
import { ask } from "./support.js";

describe("scripted responses", () => {
  test("a 422 with the invalid fields occurs as often as times says", async () => {
    const sandbox = createSandbox({ size: 10 });
    const client = new MainClient(sandbox);
    sandbox.faults.next({ operation: "accounts.create", errors: { email: ["is taken"] }, times: 2 });
    for (let at = 0; at < 2; at++) {
      const error = await client.accounts.create({ name: "x" }).then(undefined, (thrown: unknown) => thrown);
      expect(error).toMatchObject({ status: 422, errors: { email: ["is taken"] } });
    }
    expect((await client.accounts.create({ name: "x" })).id).toBe(11);
  });

  test("a status, a message and a body may be the caller's", async () => {
    const sandbox = createSandbox({ size: 10 });
    sandbox.faults.next({ status: 409, message: "Somebody was faster" });
    expect(await ask(sandbox, "api/v1/accounts/1")).toMatchObject({
      status: 409,
      body: { code: 409, message: "Somebody was faster", errors: {} },
    });
    sandbox.faults.next({ body: { ...sandbox.store.accounts.get(1), name: "Scripted" } });
    expect((await new MainClient(sandbox).accounts.get(1)).name).toBe("Scripted");
    sandbox.faults.next({ body: null, status: 200 });
    expect((await ask(sandbox, "api/v1/accounts/1")).body).toBeNull();
  });

  test("a sequence may contain one without an effect, which lets its request through", async () => {
    const sandbox = createSandbox({ size: 10 });
    sandbox.faults.next({ status: 503 }, { operation: "accounts.get" }, { status: 500 });
    const statuses: number[] = [];
    for (let at = 0; at < 4; at++) statuses.push((await ask(sandbox, "api/v1/accounts/1")).status);
    expect(statuses).toEqual([503, 200, 500, 200]);
  });

  test("a predicate limits them to some inputs, and gets the operation's types", async () => {
    const sandbox = createSandbox({ size: 10 });
    const client = new MainClient(sandbox);
    sandbox.faults.next({
      operation: "accounts.create",
      when: ({ body }) => {
        expectTypeOf(body.email).toEqualTypeOf<string | null | undefined>();
        return body.email === "a@school.example";
      },
      errors: { email: ["is taken"] },
    });
    sandbox.faults.next({
      when: ({ operation, params }) => operation === "users.get" && "id" in params && params.id === 3,
      status: 410,
    });
    expect((await client.accounts.create({ name: "B", email: "b@school.example" })).id).toBe(11);
    await expect(client.accounts.create({ name: "A", email: "a@school.example" })).rejects.toMatchObject({
      status: 422,
    });
    expect((await client.accounts.create({ name: "A", email: "a@school.example" })).id).toBe(12);
    expect((await client.users.get(2)).id).toBe(2);
    expect((await ask(sandbox, "api/v1/nothing")).status).toBe(404);
    expect(() => sandbox.expectNoFaultsLeft()).toThrow('{"when":"a function","status":410}');
    await expect(client.users.get(3)).rejects.toMatchObject({ status: 410 });
    sandbox.expectNoFaultsLeft();
  });

  test("an unknown value in a record is not in the service's enumerations", async () => {
    const sandbox = createSandbox({ size: 10 });
    sandbox.faults.next({ operation: "invoices.get", drift: "value" });
    const { body } = await ask(sandbox, "api/v1/invoices/1");
    expect(InvoiceStatus.values).not.toContain((body as { status: string }).status);
  });
});

describe("invalid faults", () => {
  const { faults, webhooks } = createSandbox({ size: 1 });

  test("with a misspelled operation do not compile", () => {
    expectTypeOf<Fault["operation"]>().toEqualTypeOf<OperationId | undefined>();
    // @ts-expect-error -- this operation does not exist.
    expect(() => faults.next({ operation: "invoice.list" })).toThrow(RangeError);
  });

  test.each([
    [
      { operation: "invoice.list" },
      'operation "invoice.list" is not the id of an operation; did you mean "invoices.list"?',
    ],
    [{ operaton: "invoices.list" }, 'a fault\'s operaton is unknown; did you mean "operation"?'],
    [{ status: "503" }, "status must be a whole number"],
    [{ drift: "nul" }, "drift must be true or one of extra, missing, null, type, value"],
    [{ count: 1.5 }, "count must be a positive whole number"],
    [{ times: 1, count: 1 }, "`times` and `count` mean the same"],
    [{ retryAfter: Number.NaN }, "retryAfter must be a non-negative number of seconds"],
    [{ errors: { email: "is taken" } }, "errors must be an object with a list of strings for each field"],
    [{ errors: {}, html: true }, "cannot have a body"],
    [{ applied: true, appliedAfterMs: 5 }, "`applied` means `appliedAfterMs: 0`; pass only one"],
    [{ body: 1, message: "x" }, "a body, or errors and a message, but not both"],
    [{ headers: { "a b": "c" } }, "headers contains an invalid header name"],
  ])("%j is refused", (fault, message) => {
    expect(() => faults.next(fault as Fault)).toThrow(RangeError);
    expect(() => faults.next(fault as Fault)).toThrow(message);
    expect(faults.pending).toEqual([]);
  });

  test("in a sequence prevent the whole sequence", () => {
    expect(() => faults.next({ status: 500 }, { status: 5 })).toThrow("status must be");
    expect(faults.pending).toEqual([]);
  });

  test.each([
    [{ evnt: "lead.updated" }, 'did you mean "event"?'],
    [{ duplicate: -1 }, "duplicate must be"],
  ])("%j is refused for a webhook", (fault, message) => {
    expect(() => webhooks.next(fault as WebhookFault)).toThrow(message);
  });
});

describe("expectNoFaultsLeft", () => {
  test("passes if every fault was used, and names the others", async () => {
    const sandbox = createSandbox({ size: 10 });
    sandbox.expectNoFaultsLeft();
    sandbox.faults.next({ operation: "accounts.get", status: 500, times: 2 });
    sandbox.faults.next({ probability: 0, status: 503, times: Number.POSITIVE_INFINITY });
    expect(() => sandbox.expectNoFaultsLeft()).toThrow('{"operation":"accounts.get","status":500,"times":2}');
    for (let at = 0; at < 2; at++) await ask(sandbox, "api/v1/accounts/1");
    sandbox.expectNoFaultsLeft();
    sandbox.faults.next({ operation: "courses.get", status: 500, times: Number.POSITIVE_INFINITY });
    expect(() => sandbox.expectNoFaultsLeft()).toThrow('"times":"Infinity"');
    await ask(sandbox, "api/v1/courses/1");
    sandbox.expectNoFaultsLeft();
    sandbox.webhooks.next({ event: "lead.updated", drop: true });
    expect(() => sandbox.expectNoFaultsLeft()).toThrow("lead.updated");
    sandbox.reset();
    sandbox.expectNoFaultsLeft();
  });
});
