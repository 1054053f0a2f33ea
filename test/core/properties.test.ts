import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { buildRequest } from "../../src/core/call/build-request.js";
import { backoff, retryAfterMs } from "../../src/core/call/retry.js";
import { CheckpointError, InputError } from "../../src/core/errors.js";
import { linkTarget } from "../../src/core/link-header.js";
import { writeCheckpoint } from "../../src/core/lists/checkpoint.js";
import { nextPosition } from "../../src/core/lists/position.js";
import { readCheckpoint } from "../../src/core/lists/read-checkpoint.js";
import type { Operation } from "../../src/core/operation.js";
import { customObjectOperations } from "../../src/resources/custom/custom-objects.js";
import { invoiceOperations } from "../../src/resources/finance/invoices.js";
import { accountOperations } from "../../src/resources/people/accounts.js";
import { anyText as text } from "../support/any-text.js";
import { mainClient } from "../support/clients.js";
import { jsonResponse, recordingFetch } from "../support/fetch.js";
import { growsWithItsSize } from "../support/processor-time.js";

const token = fc.stringMatching(/^[a-z][a-z0-9*-]{0,8}$/);

describe("Link headers", () => {
  const target = fc.stringMatching(/^[^<>\s]{0,40}$/);
  const quoted = fc.stringMatching(/^[ -~]{0,20}$/).map((value) => `"${value.replace(/[\\"]/g, "\\$&")}"`);
  const relation = fc.constantFrom("next", "prev", "first", "last", "x-own");
  const relations = fc.uniqueArray(relation, { minLength: 1, maxLength: 3 });
  const blank = fc.constantFrom("", " ", "\t", "  ");
  const written = fc
    .tuple(target, relations, fc.array(fc.tuple(token, fc.oneof(quoted, token))), fc.boolean(), blank, fc.boolean())
    .map(([address, rels, others, upper, space, quote]) => {
      const bare = rels.length === 1 && !quote;
      const value = bare ? rels[0] : `"${rels.join(" ")}"`;
      const rel = `${space};${space}${upper ? "REL" : "rel"}${space}=${space}${upper ? value?.toUpperCase() : value}`;
      const more = others.filter(([name]) => name !== "rel").map(([name, of]) => `;${space}${name}=${of}`);
      return { address, rels, text: `<${address}>${more.join("")}${rel}` };
    });

  it("are parsed into the links they encode, and the first link with the relation counts", () => {
    fc.assert(
      fc.property(fc.array(written, { maxLength: 5 }), relation, blank, (links, wanted, space) => {
        const header = links.map((link) => link.text).join(`${space},${space}`);
        const expected = links.find(({ rels }) => rels.includes(wanted))?.address ?? null;
        expect(linkTarget(header, wanted)).toBe(expected);
      }),
      { numRuns: 500 },
    );
  });

  it("never throw, whatever they hold", () => {
    const odd = fc
      .array(fc.oneof(fc.constantFrom("<", ">", ";", ",", "=", '"', "\\", "rel", "next", " "), text))
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(odd, (header) => {
        const found = linkTarget(header, "next");
        if (found !== null) expect(header).toContain(found);
        nextPosition(header, [], [["per_page", "5"]], "https://school.example/api/v1/accounts");
      }),
      { numRuns: 500 },
    );
  });

  it("take time proportional to their length, whatever their shape", async () => {
    const shapes = [
      "<",
      "<>",
      "<a>;",
      '<a>;rel="',
      "<a>;rel=prev,",
      "<a>;a=b",
      ";",
      ",",
      '<a>;x="\\',
      "<a>; ; ",
      "<a> ",
      '"',
    ];
    for (const shape of shapes) {
      const read = (length: number) => {
        const header = shape.repeat(Math.ceil(length / shape.length));
        return () => linkTarget(header, "next");
      };
      expect(await growsWithItsSize(read, 200_000), shape).toBe(true);
    }
  });

  it("lead to a position with the client's own filters, and only other parameters come from the link", () => {
    // Avoids fc.webUrl, which takes a second to create.
    const path = fc.array(fc.stringMatching(/^[\w.~%-]{0,8}$/)).map((parts) => parts.join("/"));
    fc.assert(
      fc.property(text, text, path, (search, cursor, rest) => {
        const query = new URLSearchParams([
          ["search", `other ${search}`],
          ["cursor", cursor],
        ]);
        const next = nextPosition(
          `<https://b.example/${rest}?${query}>; rel=next`,
          [["search", search]],
          [["per_page", "7"]],
          "https://a.example/x",
        );
        expect(next).toEqual([
          ["cursor", cursor],
          ["per_page", "7"],
        ]);
      }),
    );
  });
});

describe("Retry-After", () => {
  const now = Date.UTC(2026, 0, 5, 12);
  const year = 365 * 24 * 3_600_000;

  it("in seconds is that number of seconds, at most a year", () => {
    fc.assert(
      fc.property(fc.nat({ max: 10 ** 15 - 1 }), (seconds) => {
        expect(retryAfterMs(String(seconds), now)).toBe(Math.min(seconds * 1000, year));
      }),
    );
  });

  it("as an HTTP date is the time until then, never negative", () => {
    fc.assert(
      fc.property(fc.integer({ min: -1_000_000, max: 10_000_000 }), (seconds) => {
        const date = new Date(now + seconds * 1000).toUTCString();
        expect(retryAfterMs(date, now)).toBe(Math.max(0, seconds * 1000));
      }),
    );
  });

  it("as one of the two older forms of dates is read as GMT", () => {
    expect(retryAfterMs("Monday, 05-Jan-26 12:01:00 GMT", now)).toBe(60_000);
    expect(retryAfterMs("Mon Jan  5 12:01:00 2026", now)).toBe(60_000);
  });

  it("of any text is a number from 0 to a year or null, and never throws", () => {
    fc.assert(
      fc.property(fc.oneof(text, fc.double().map(String), fc.constant(null)), (header) => {
        const ms = retryAfterMs(header, now);
        expect(ms === null || (Number.isInteger(ms) && ms >= 0 && ms <= year), `${ms} ms`).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it("left out lets the pause grow with the attempt, up to the limit", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1000 }),
        fc.nat({ max: 100_000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (attempt, limit, random) => {
          const ms = backoff(attempt, limit, random);
          expect(ms).toBeGreaterThanOrEqual(0);
          expect(ms).toBeLessThanOrEqual(limit);
          expect(ms).toBeLessThanOrEqual(100 * 3 ** (attempt - 1));
        },
      ),
    );
  });
});

describe("paths", () => {
  const row = customObjectOperations.get as Operation;

  it("contain any value in one segment or refuse it, so none leads to another endpoint", () => {
    const hostile = fc.constantFrom(
      ".",
      "..",
      "/",
      "\\",
      "%2e",
      "%2F",
      "%5c",
      "?",
      "#",
      ";",
      "@",
      "//",
      "\u0000",
      "\n",
      " ",
    );
    const value = fc.oneof(
      text,
      fc.array(fc.oneof(hostile, text), { maxLength: 6 }).map((parts) => parts.join("")),
    );
    fc.assert(
      fc.property(value, (slug) => {
        let path: string;
        try {
          path = buildRequest(row, { params: { object_slug: slug } }, "repeat").path;
        } catch (error) {
          expect(error).toBeInstanceOf(InputError);
          return;
        }
        const url = new URL(`https://school.example/prefix/${path}`);
        expect(url.origin + url.search + url.hash).toBe("https://school.example");
        const segments = url.pathname.split("/");
        expect(segments.slice(0, -1)).toEqual(["", "prefix", "api", "v1", "custom", "objects"]);
        expect(decodeURIComponent(segments.at(-1) as string)).toBe(slug);
      }),
      { numRuns: 1000 },
    );
  });

  it("accept whole numbers from 1 as identifiers and refuse everything else", () => {
    const get = accountOperations.get as Operation;
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.double(), fc.integer()), (id) => {
        const build = () => buildRequest(get, { params: { id } }, "repeat");
        if (typeof id === "number" && Number.isSafeInteger(id) && id > 0)
          expect(build().path).toBe(`api/v1/accounts/${id}`);
        else expect(build).toThrow(InputError);
      }),
      { numRuns: 500 },
    );
  });
});

describe("queries", () => {
  it("arrive unchanged, whatever the text", async () => {
    await fc.assert(
      fc.asyncProperty(text, fc.integer({ min: 1, max: 100 }), async (search, per_page) => {
        const { fetch, calls } = recordingFetch(() => jsonResponse([]));
        await mainClient({ fetch, rateLimit: false }).accounts.list({ search, per_page });
        expect([...(calls[0]?.url.searchParams ?? [])]).toEqual([
          ["search", search],
          ["per_page", String(per_page)],
        ]);
      }),
      { numRuns: 100 },
    );
  });

  it("contain arrays in the format of arrayFormat, in their order", () => {
    const list = invoiceOperations.list as Operation;
    const status = fc.array(fc.constantFrom("open", "paid", "concept"), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(status, (values) => {
        const query = (format: "repeat" | "brackets" | "comma") =>
          buildRequest(list, { query: { status: values } }, format).query;
        expect(query("repeat")).toEqual(values.map((value) => ["status", value]));
        expect(query("brackets")).toEqual(values.map((value) => ["status[]", value]));
        expect(query("comma")).toEqual(values.length > 0 ? [["status", values.join(",")]] : []);
      }),
    );
  });
});

describe("checkpoints", () => {
  const operation = accountOperations.list as Operation;
  const base = { operation, path: "api/v1/accounts", params: {}, body: undefined, raw: false };
  const pairs = fc.array(fc.tuple(fc.constantFrom("cursor", "per_page", "page"), text), { maxLength: 4 });
  const filters = fc.array(fc.tuple(fc.constantFrom("search", "user_id", "status[]"), text), { maxLength: 4 });

  it("resume the same position, with the same filters in any order", () => {
    fc.assert(
      fc.property(pairs, filters, (next, query) => {
        const request = { ...base, query };
        const written = writeCheckpoint(request, next);
        expect(readCheckpoint(written, { ...request, query: query.slice().reverse() })).toEqual(next);
        expect(readCheckpoint(written, { ...request, query: [...query, ["per_page", "9"]] })).toEqual(next);
        expect(readCheckpoint(writeCheckpoint(request, null), request)).toBeNull();
      }),
    );
  });

  it("of other filters, of another path and of another operation are refused", () => {
    fc.assert(
      fc.property(pairs, filters, filters, (next, query, others) => {
        const request = { ...base, query };
        const written = writeCheckpoint(request, next);
        const sortPairs = (list: readonly (readonly string[])[]) =>
          list.map(([name, value]) => `${name?.replace("[]", "")}=${value}`).sort();
        if (sortPairs(query).join("\n") !== sortPairs(others).join("\n")) {
          expect(() => readCheckpoint(written, { ...request, query: others })).toThrow(CheckpointError);
        }
        expect(() => readCheckpoint(written, { ...request, path: "api/v1/users" })).toThrow(CheckpointError);
        expect(() => readCheckpoint(written, { ...request, operation: invoiceOperations.list as Operation })).toThrow(
          CheckpointError,
        );
      }),
    );
  });

  it("contain no value of a filter", () => {
    const secret = fc.stringMatching(/^[A-Z]{12,20}$/);
    fc.assert(
      fc.property(secret, (value) => {
        const request = { ...base, query: [["search", value]] as const };
        expect(writeCheckpoint(request, [["cursor", "x"]])).not.toContain(value);
      }),
    );
  });

  it("made of any other text are refused with a CheckpointError", () => {
    const request = { ...base, query: [] };
    const anything = fc.oneof(
      text,
      fc.json(),
      fc
        .record(
          { v: fc.anything(), operation: fc.anything(), filters: fc.anything(), next: fc.anything() },
          { requiredKeys: [] },
        )
        .map((value) => JSON.stringify(value, (_, part) => (typeof part === "bigint" ? String(part) : part))),
    );
    fc.assert(
      fc.property(anything, (resume) => {
        expect(() => readCheckpoint(resume, request)).toThrow(CheckpointError);
      }),
      { numRuns: 500 },
    );
  });
});
