import { describe, expect, it, test } from "vitest";
import { cutStream, hasOwnAnswer, refusedBy } from "../../src/sandbox/engine/answers.js";
import { applyDrift, checkFault, checkWebhookFault, type Fault, Faults } from "../../src/sandbox/engine/fault.js";

const NOW = Date.UTC(2026, 0, 1);
const forever = Number.POSITIVE_INFINITY;

describe("the allowed values of a fault's fields", () => {
  test.each<[string, readonly unknown[], readonly unknown[]]>([
    ["operation", ["invoices.list", undefined], ["", "invoice.list", 7, null, ["invoices.list"]]],
    ["when", [() => true], [true, "body", null, {}]],
    ["times", [1, 7, forever], [0, -1, 1.5, "1", -forever, null]],
    ["count", [1, 7, forever], [0, -1, 1.5, "1", -forever, null]],
    ["probability", [0, 0.5, 1], [-0.1, 1.1, "0.5", null]],
    ["status", [200, 404, 599], [199, 600, 404.5, "404", null, Number.NaN]],
    ["message", ["", "no"], [7, null, {}]],
    [
      "errors",
      [{}, { email: [] }, { email: ["a", "b"], base: ["c"] }],
      [null, [], "x", { a: [7] }, { a: ["x"], b: "y" }],
    ],
    ["body", [null, 0, "", {}, []], [() => 1, Symbol("x")]],
    ["retryAfter", [0, 1.5, "soon", new Date(0)], [-1, forever, null, {}, new Date(Number.NaN)]],
    ["headers", [{}, { "x-a": "b" }], [null, [["a", "b"]], "x", { "a:": "b" }, { a: "\n\0" }]],
    ["delayMs", [0, 1, forever], [-1, "1", null]],
    ["cut", [true, false, 0, 0.99], [1, -0.1, "half", null]],
    ["reset", [true, false], [1, "true", null]],
    ["html", [true, false], [1, "true", null]],
    ["drift", [true, false, "extra", "missing", "null", "type", "value"], ["", "Extra", null, 1]],
    ["applied", [true, false], [1, "true", null]],
    ["appliedAfterMs", [0, 1, 0.5], [-1, forever, "1", null]],
  ])("%s", (name, accepted, refused) => {
    for (const value of accepted) expect(() => checkFault({ [name]: value }), String(value)).not.toThrow();
    for (const value of refused) {
      expect(() => checkFault({ [name]: value }), String(value)).toThrow(RangeError);
      expect(() => checkFault({ [name]: value })).toThrow(new RegExp(`^(a fault's )?${name} `));
    }
  });

  test.each<[string, readonly unknown[], readonly unknown[]]>([
    ["event", ["invoice.updated"], [7, null]],
    ["times", [1, forever], [0, 1.5]],
    ["count", [1, forever], [0, 1.5]],
    ["delayMs", [0, forever], [-1, "1"]],
    ["duplicate", [true, false, 0, 3], [-1, 1.5, "1", null]],
    ["reorder", [true, false], [1]],
    ["drop", [true, false], [1]],
  ])("%s of a fault of webhooks", (name, accepted, refused) => {
    for (const value of accepted) expect(() => checkWebhookFault({ [name]: value }), String(value)).not.toThrow();
    for (const value of refused) {
      expect(() => checkWebhookFault({ [name]: value } as object), String(value)).toThrow(
        new RegExp(`^a fault's ${name} `),
      );
    }
  });

  test.each([
    ["HTML in a response without a body", { html: true, status: 204 }],
    ["a body beside HTML", { html: true, body: 1 }],
    ["errors beside HTML", { html: true, errors: {} }],
    ["a message beside HTML", { html: true, message: "x" }],
    ["a body of a broken connection", { reset: true, body: 1 }],
    ["a message of a broken connection", { reset: true, message: "x" }],
    ["a body and errors", { body: 1, errors: {} }],
    ["a body and a message", { body: 1, message: "x" }],
    ["times and count", { times: 1, count: 1 }],
    ["a field of every object", { toString: "x" }],
    ["null", null],
    ["text", "503"],
    ["a text without a letter", ""],
    ["a number", 503],
    ["nothing", undefined],
  ])("%s is an error", (_, fault) => {
    expect(() => checkFault(fault as Fault)).toThrow(RangeError);
  });

  it("suggests a similar name if there is one", () => {
    expect(() => checkFault({ statu: 503 } as Fault)).toThrow(/statu is unknown; did you mean "status"\?$/);
    expect(() => checkFault({ zzzzzz: 503 } as Fault)).toThrow(/zzzzzz is unknown$/);
  });

  test.each([
    { html: true, reset: false },
    { html: false, body: 1 },
    { errors: {}, message: "x" },
    { times: 2, count: undefined },
  ])("%o is valid", (fault) => {
    expect(() => checkFault(fault)).not.toThrow();
  });
});

describe("the response of a fault", () => {
  test.each<[Fault, boolean]>([
    [{}, false],
    [{ reset: false, html: false, delayMs: 1, cut: true, drift: true, headers: {} }, false],
    [{ reset: true }, true],
    [{ html: true }, true],
    [{ status: 200 }, true],
    [{ retryAfter: 0 }, true],
    [{ errors: {} }, true],
    [{ message: "" }, true],
    [{ body: null }, true],
  ])("%j has its own: %s", (fault, hasAnswer) => {
    expect(hasOwnAnswer(fault)).toBe(hasAnswer);
  });

  const failure = (code: number, message: string, errors = {}) => ({ json: { errors, code, message } });
  test.each<[Fault, number, object, unknown]>([
    [{ status: 503 }, 503, {}, failure(503, "Service Unavailable")],
    [{ status: 500 }, 500, {}, failure(500, "Internal Server Error")],
    [{ status: 599 }, 599, {}, failure(599, "Internal Server Error")],
    [{ status: 499 }, 499, {}, failure(499, "Request failed")],
    [{ message: "Taken" }, 422, {}, failure(422, "Taken")],
    [{ errors: { a: ["b"] } }, 422, {}, failure(422, "Unprocessable Entity", { a: ["b"] })],
    [{ body: null }, 200, {}, { json: null }],
    [{ body: [1], status: 201 }, 201, {}, { json: [1] }],
    [{ retryAfter: 7 }, 429, { "retry-after": "7" }, failure(429, "Too Many Requests")],
    [{ retryAfter: "soon", status: 503 }, 503, { "retry-after": "soon" }, failure(503, "Service Unavailable")],
    [
      { retryAfter: new Date(NOW), message: "x" },
      429,
      { "retry-after": "Thu, 01 Jan 2026 00:00:00 GMT" },
      failure(429, "x"),
    ],
    [{ status: 204 }, 204, {}, null],
    [{ status: 205 }, 205, {}, null],
    [{ status: 304 }, 304, {}, null],
  ])("%j", (fault, status, headers, body) => {
    expect(refusedBy(fault)).toEqual({ status, headers, body });
  });

  it("is a page with the status in its title, for HTML", () => {
    const text = "<!doctype html><title>502 Bad Gateway</title><h1>Bad Gateway</h1>";
    expect(refusedBy({ html: true, retryAfter: 1 })).toMatchObject({ status: 502, body: { text } });
    expect(refusedBy({ html: true, status: 503 }).body).toMatchObject({
      text: expect.stringContaining("503 Service Unavailable"),
    });
  });

  test.each([
    [0, ""],
    [0.5, "ab"],
    [0.99, "abc"],
  ])("is cut off after a share of %d", async (share, arrived) => {
    const reader = cutStream("abcd", share).getReader();
    let text = "";
    const error = await (async () => {
      for (;;) text += new TextDecoder().decode((await reader.read()).value);
    })().catch((thrown: unknown) => thrown);
    expect(text).toBe(arrived);
    expect(error).toMatchObject({ name: "TypeError", message: "terminated", cause: { code: "ECONNRESET" } });
  });
});

describe("a response that drifts", () => {
  const record = { id: 1, count: 2, name: "x", state: "open", currency: "EUR" };
  test.each([
    ["extra", { ...record, added_by_the_service: true }],
    [true, { ...record, added_by_the_service: true }],
    ["missing", { id: 1, count: 2, state: "open", currency: "EUR" }],
    ["null", { ...record, name: null }],
    ["type", { ...record, name: 1 }],
    ["value", { ...record, state: "unheard_of" }],
  ] as const)("%s changes one field of every record, in lists too", (kind, expected) => {
    expect(applyDrift(record, kind)).toEqual(expected);
    expect(applyDrift([record, 7, null], kind)).toEqual([expected, 7, null]);
    expect(record.name).toBe("x");
  });

  test.each([
    ["missing", { id: 1, count: 2 }, { id: 1 }],
    ["null", { id: 1, count: 2 }, { id: 1, count: null }],
    ["type", { id: 1, count: 2 }, { id: 1, count: "1" }],
    ["value", { id: 1, name: "x" }, { id: 1, name: "unheard_of" }],
    ["value", { id: 1, name: "x", states: "y" }, { id: 1, name: "unheard_of", states: "y" }],
    ["value", { id: 1, gateway_type: "x", count: 2 }, { id: 1, gateway_type: "unheard_of", count: 2 }],
    ["value", { id: 1 }, { id: "unheard_of" }],
    ["missing", { id: 1 }, {}],
    ["null", { id: 1 }, { id: null }],
    ["type", { id: 1 }, { id: "1" }],
  ] as const)("%s changes another field if a record has no text: %j", (kind, given, expected) => {
    expect(applyDrift(given, kind)).toEqual(expected);
  });
});

describe("the waiting faults", () => {
  const none = () => null;
  it("are applied in the order in which they were added, each as often as `times` says", () => {
    const faults = new Faults(1);
    faults.next({ status: 500, times: 2 }, { status: 501, count: 1 }, { operation: "orders.get", status: 502 });
    expect([1, 2, 3, 4].map(() => faults.take("orders.list", none)?.status)).toEqual([500, 500, 501, undefined]);
    expect(faults.pending).toEqual([{ operation: "orders.get", status: 502 }]);
    expect(faults.take(null, none)).toBeNull();
    expect(faults.take("orders.get", none)?.status).toBe(502);
    expect(faults.pending).toEqual([]);
  });

  it("check the input only if they have a predicate, which must return true", () => {
    const faults = new Faults(1);
    faults.next({ when: ({ params }) => (params as { id?: number }).id === 3, status: 410 });
    const input = (id: number) => () => ({ operation: "orders.get", params: { id }, query: {}, body: {} }) as never;
    expect(faults.take("orders.get", input(2))).toBeNull();
    expect(faults.take(null, none)).toBeNull();
    expect(faults.take("orders.get", input(3))?.status).toBe(410);
  });

  it("with a probability occur at the same positions after they were cleared", () => {
    const faults = new Faults(7);
    const run = (from = faults) => {
      from.next({ probability: 0.3, count: forever, status: 503 });
      const hits = Array.from({ length: 200 }, () => from.take("orders.get", none) !== null);
      from.clear();
      return hits;
    };
    const first = run();
    const share = first.filter((hit) => hit).length / first.length;
    expect([share > 0.2, share < 0.4]).toEqual([true, true]);
    expect(run()).toEqual(first);
    expect(run(new Faults(8))).not.toEqual(first);
    expect(faults.pending).toEqual([]);
    // A fault that always applies draws no random number, so later faults draw the same numbers as before.
    faults.next({ probability: 1 });
    faults.take("orders.get", none);
    expect(run()).toEqual(first);
    faults.next({ probability: 0 });
    expect(faults.take("orders.get", none)).toBeNull();
  });

  it("are missed if they were not applied often enough, unless they were optional", () => {
    const faults = new Faults(1);
    const always = { status: 500, times: forever };
    faults.next({ operation: "orders.get" }, { operation: "orders.list", times: 2 }, always);
    faults.next(
      { operation: "users.get", times: forever, probability: 0.5 },
      { operation: "users.get", probability: 0.5 },
    );
    const describeUnused = () => faults.unused.map(({ operation, times }) => `${operation ?? "any"} ${times ?? 1}`);
    expect(describeUnused()).toEqual(["orders.get 1", "orders.list 2", "any Infinity", "users.get 1"]);
    faults.take("orders.list", none);
    faults.take("courses.get", none);
    expect(describeUnused()).toEqual(["orders.get 1", "orders.list 2", "users.get 1"]);
    faults.take("orders.list", none);
    expect(describeUnused()).toEqual(["orders.get 1", "users.get 1"]);
  });
});
