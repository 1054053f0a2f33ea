import { afterEach, describe, expect, it, vi } from "vitest";
import type { EndedCall } from "../../src/core/call/ended-call.js";
import { errorOf } from "../../src/core/call/failure.js";
import * as failureWords from "../../src/core/call/failure-words.js";
import { browserHint, fieldProblems, likelyReasons } from "../../src/core/call/failure-words.js";
import type { CallRequest } from "../../src/core/call/request.js";
import type { Operation } from "../../src/core/operation.js";
import { endedCall, wireResponse } from "../support/requests.js";

afterEach(() => vi.unstubAllGlobals());

describe("the hint when a browser gives no response", () => {
  const hint = () => browserHint("https://school.example/api/v1/rooms");
  const browser = (onLine: boolean | undefined, origin?: string) => {
    vi.stubGlobal("navigator", { onLine });
    vi.stubGlobal("location", origin === undefined ? undefined : { origin });
  };

  it("is empty outside browsers, with and without a navigator", () => {
    browser(undefined, "https://app.example");
    expect(hint()).toBe("");
    vi.stubGlobal("navigator", undefined);
    expect(hint()).toBe("");
  });

  it("says that the browser is offline", () => {
    browser(false, "https://app.example");
    expect(hint()).toBe(" The browser is offline.");
  });

  it("suggests baseUrl if the request goes to the page's own origin, or in a worker without a location", () => {
    browser(true, "https://school.example");
    expect(hint()).toBe(" The browser is online; check baseUrl.");
    browser(true);
    expect(hint()).toBe(" The browser is online; check baseUrl.");
  });

  it("mentions CORS and the origin if it is another one", () => {
    browser(true, "https://app.example");
    expect(hint()).toMatch(
      /^ The browser is online, and the page is on another origin \(https:\/\/app\.example\): .*CORS/,
    );
  });
});

describe("likely reasons", () => {
  const reasons = (
    of: Partial<Operation>,
    status = 403,
    fromService = true,
    request: Partial<CallRequest> = {},
    ended: Partial<EndedCall> = {},
    said = "",
  ) => likelyReasons(endedCall(wireResponse(status, "{}"), of, ended, request), status, fromService, said);
  const KEY =
    "the API key is wrong, has expired or lacks the scope this operation needs, or the administrator it belongs to lacks the right";
  const RECORD = "the record does not exist or belongs to another school";
  const OTHERS = "a record that the request names belongs to another school";
  const NO_KEY = "the client has no API key (apiKey: null), and this operation is not public";
  const words = (...parts: string[]) => `Likely reasons: ${parts.join("; or ")}`;

  it("begin with the key for a 401 and a 403, and with the record for a 404", () => {
    expect(reasons({}, 401)).toBe(words("the API key is wrong, has expired or was revoked"));
    expect(reasons({}, 403)).toBe(words(KEY, RECORD));
    expect(reasons({}, 404)).toBe(words(RECORD, KEY));
    const moved =
      "if you can read the record itself, the service may have moved this operation: see the option routes, and update the library";
    expect(reasons({ path: "rooms/{id}/keys" }, 404)).toBe(words(RECORD, KEY, moved));
  });

  it.each([401, 403, 404])("begin with the missing key if the client has none: %i", (status) => {
    const given = reasons({ path: "rooms" }, status, false, { raw: true, resumed: true }, { token: null });
    expect(given).toMatch(new RegExp(`^Likely reasons: ${NO_KEY.replace(/[()]/g, "\\$&")}`));
    expect(given).not.toContain("the API key");
  });

  it.each([401, 403])("begin with the expired or revoked key if it worked before: %i", (status) => {
    const workedAt = Date.UTC(2026, 0, 5);
    expect(reasons({}, status, true, {}, { workedAt })).toMatch(
      /^Likely reasons: the API key, which worked at 2026-01-05T00:00:00.000Z, has expired or been revoked, or the administrator it belongs to has lost rights; see "Connect your school"/,
    );
  });

  it("are only one for a 412, and none for other statuses", () => {
    expect(reasons({}, 412)).toBe("The school is not set up for this operation");
    for (const status of [400, 402, 405, 409, 422, 500]) expect(reasons({}, status), String(status)).toBeNull();
  });

  it.each<[what: string, of: Partial<Operation>, parts: string[]]>([
    ["the scope, where it is known", { scopes: "rooms" }, [KEY.replace("needs", "needs (rooms:read)"), RECORD]],
    ["records of the body, where the path names none", { path: "rooms", method: "POST" }, [KEY, OTHERS]],
    ["no record of a list without filters", { path: "rooms" }, [KEY]],
    [
      "the feature flag, where the row names one",
      { feature: "Custom objects" },
      [KEY, RECORD, 'the feature flag "Custom objects" is off'],
    ],
    ["that it is in beta", { beta: true }, [KEY, RECORD, "the operation is in beta and may have changed"]],
    [
      "that its path is not confirmed",
      { pathConfirmed: false },
      [
        KEY,
        RECORD,
        `the operation's path is not confirmed by the service description; set the option routes["rooms.get"]`,
      ],
    ],
  ])("name %s", (_, of, parts) => {
    expect(reasons(of)).toBe(words(...parts));
  });

  it.each([
    ["account_id=7", true],
    ["per_page=100&account_id%5B%5D=7", true],
    ["id=7", true],
    ["paid=7", false],
    ["per_page=100", false],
  ])("name the records in a list's filter: %s", (query, isNamed) => {
    const url = `https://school.example/api/v1/rooms?${query}`;
    expect(reasons({ path: "rooms" }, 403, true, {}, { url })).toBe(words(KEY, ...(isNamed ? [OTHERS] : [])));
  });

  it("begin with the feature flag if the service mentions it", () => {
    const feature = "Custom objects";
    const off = 'the feature flag "Custom objects" is off';
    const said = "custom objects is not enabled";
    expect(reasons({ feature }, 403, true, {}, {}, said)).toBe(words(off, KEY, RECORD));
    expect(reasons({ feature }, 404, true, {}, { token: null }, said)).toBe(words(off, NO_KEY, RECORD));
    expect(reasons({}, 403, true, {}, {}, said)).toBe(words(KEY, RECORD));
  });

  it("begin with the address if the service did not send the 404", () => {
    expect(reasons({}, 404, false)).toBe(words("the address is not the service's; check baseUrl", RECORD, KEY));
    expect(reasons({}, 403, false)).toBe(words(KEY, RECORD));
  });

  it("name the prefix missing from the path of a raw request", () => {
    const PATH = "the path is wrong, or a record it names does not exist";
    const prefix = `the path lacks the API's prefix, such as "api/v1/"`;
    const of = (path: string): Partial<Operation> => ({ path, id: `GET ${path}` });
    for (const path of ["rooms", "my/api/v1/rooms", "apis/rooms", "/rooms"]) {
      expect(reasons(of(path), 404, true, { raw: true }), path).toBe(words(prefix, PATH, KEY));
    }
    for (const path of ["api/v1/rooms", "/api/v1/rooms"]) {
      expect(reasons(of(path), 404, true, { raw: true }), path).toBe(words(PATH, KEY));
      expect(reasons(of(path), 403, true, { raw: true }), path).toBe(words(KEY));
    }
    // The path of an operation is relative to its prefix.
    expect(reasons(of("rooms"), 404)).toBe(words(KEY));
  });

  it("name the expired cursor of a checkpoint", () => {
    expect(reasons({}, 404, true, { resumed: true })).toBe(words("the checkpoint's cursor has expired", RECORD, KEY));
  });
});

describe("the fields that the service refused", () => {
  const problems = (errors: unknown) => fieldProblems(errors, (text, length) => text.slice(0, length));
  const fields = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}`, "bad"]));

  it.each<[what: string, errors: unknown, words: string]>([
    ["a text for each field", { name: "is taken", email: "is wrong" }, "name: is taken; email: is wrong"],
    ["several texts for a field", { name: ["is taken", "is short"] }, "name: is taken, is short"],
    ["a text alone", "Invalid", "Invalid"],
    ["texts without fields", ["Invalid", "Wrong"], "Invalid, Wrong"],
    ["fields within fields", { address: { city: ["is unknown"] } }, "address.city: is unknown"],
    [
      "objects in a list",
      { lines: [{ units: "is 0" }, { cost: "is 1" }] },
      "lines[0].units: is 0; lines[1].cost: is 1",
    ],
    ["texts among other things", { name: [1, "is taken", { a: "x" }] }, "name: is taken; name[2].a: x"],
    ["the whole record", { base: ["has editions"] }, "has editions"],
    ["names with dots, dashes and brackets", { "a.b-c[0]": "is wrong" }, "a.b-c[0]: is wrong"],
    ["nothing", undefined, ""],
    ["null", null, ""],
    ["no fields", {}, ""],
    ["no texts", { name: [], email: null, age: 7, old: true }, ""],
    ["names that are none, which might be personal data", { "Ada Lovelace": "is taken" }, ""],
    ["a name of 81 characters", { ["x".repeat(81)]: "is wrong" }, ""],
    ["a name of 80 characters", { ["x".repeat(80)]: "is wrong" }, `${"x".repeat(80)}: is wrong`],
    ["five fields", fields(5), "f0: bad; f1: bad; f2: bad; f3: bad; f4: bad"],
    ["six fields", fields(6), "f0: bad; f1: bad; f2: bad; f3: bad; f4: bad; and more"],
    ["many fields", fields(500), "f0: bad; f1: bad; f2: bad; f3: bad; f4: bad; and more"],
    [
      "many fields in two places",
      { a: fields(4), b: fields(4) },
      "a.f0: bad; a.f1: bad; a.f2: bad; a.f3: bad; b.f0: bad; and more",
    ],
    ["many texts", { name: Array(9).fill("bad") }, "name: bad, bad, bad, bad, bad"],
    [
      "a field after many without a text",
      { ...Object.fromEntries(Object.keys(fields(9)).map((name) => [name, null])), name: "bad" },
      "name: bad",
    ],
    ["eight levels", { a: { b: { c: { d: { e: { f: { g: { h: "bad" } } } } } } } }, "a.b.c.d.e.f.g.h: bad"],
  ])("are listed with the reasons: %s", (_, errors, words) => {
    expect(problems(errors)).toBe(words);
  });

  it("are sanitised and limited to 200 characters each", () => {
    const clean = vi.fn((text: string, length: number) => text.replace("Ada", "[redacted]").slice(0, length));
    expect(fieldProblems({ name: "Ada is taken" }, clean)).toBe("name: [redacted] is taken");
    expect(fieldProblems("Ada is taken", clean)).toBe("[redacted] is taken");
    expect(fieldProblems({ Ada: { city: "is taken" } }, clean)).toBe("[redacted].city: is taken");
    expect(fieldProblems({ name: "x".repeat(500) }, clean)).toBe(`name: ${"x".repeat(200)}`);
    expect(fieldProblems("x".repeat(500), clean)).toBe("x".repeat(200));
  });
});

describe("characters that control a terminal or a log", () => {
  const hostile = "<p>\u001b[2J\u009b31m\u202eevil\u2028line\r\nnext\u2066</p>";
  const forbidden = /[\p{Cc}\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;
  const of = (status: number, text: string, headers: Record<string, string>) =>
    errorOf(endedCall(wireResponse(status, text, headers)), 0, failureWords, status < 400 ? "notJson" : undefined);

  it.each<[what: string, error: Error & { excerpt?: string }]>([
    ["an HTML error body", of(500, hostile, { "content-type": "text/html" })],
    ["the service's message", of(422, JSON.stringify({ errors: {}, code: 422, message: hostile }), {})],
    ["a field's text", of(422, JSON.stringify({ errors: { name: [hostile] }, code: 422, message: "no" }), {})],
    ["the content type and the request id", of(500, "x", { "content-type": "a\u009bb", "x-request-id": "a\u009bb" })],
    ["the excerpt of a foreign page", of(200, hostile, { "content-type": "text/html" })],
  ])("become spaces in %s", (_, error) => {
    expect(error.message).not.toMatch(forbidden);
    expect(error.excerpt ?? "").not.toMatch(forbidden);
  });
});
