import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { pathToFileURL } from "node:url";
import { gunzipSync } from "node:zlib";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { schemaColumns } from "../../src/export/columns.js";
import { csvRow } from "../../src/export/csv.js";
import { type ExportOptions, type ExportProgress, exportTo } from "../../src/export/node.js";
import type { Account, Invoice, Pages } from "../../src/index.js";
import { allOperations } from "../../src/operations.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { parsePath } from "../../src/work/fields/path.js";
import { anyText } from "../support/any-text.js";
import { mainClient } from "../support/clients.js";
import { jsonResponse } from "../support/fetch.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "export-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

const sandbox = createSandbox({ size: 150 });
const client = mainClient({ fetch: sandbox.fetch, baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey });

async function exportedBytes<T>(pages: Pages<T>, options: ExportOptions<T>): Promise<Buffer> {
  const path = join(folder, "list");
  await exportTo(pathToFileURL(path), pages, options);
  expect(readdirSync(folder)).toEqual(["list"]);
  return readFileSync(path);
}

const rowsOf = (text: string | Buffer) =>
  parse(text, { columns: true, recordDelimiter: "\r\n" }) as Record<string, string>[];

describe("ndjson", () => {
  test("contains every record as the service sent it", async () => {
    const text = String(await exportedBytes(client.accounts.list({}, { prefetch: 2 }), { format: "ndjson" }));
    expect(text.slice(-2)).toBe("}\n");
    const records = text.trimEnd().split("\n");
    expect(records.map((line) => JSON.parse(line) as Account)).toEqual(await client.accounts.list().toArray());
  });

  test("has one gzip member per page when compressed, which together form the file", async () => {
    const plain = await exportedBytes(client.accounts.list({ per_page: 30 }), { format: "ndjson" });
    const gzip = await exportedBytes(client.accounts.list({ per_page: 30 }), { format: "ndjson", gzip: true });
    expect(gunzipSync(gzip).toString("latin1")).toBe(plain.toString("latin1"));
    expect(gzip.length).toBeLessThan(plain.length / 2);
  });

  test("contains only the requested columns", async () => {
    const columns = {
      id: "id",
      town: "address.city",
      upper: ({ name }: Account) => name.toUpperCase(),
      no: "custom.no",
    };
    const [line] = String(await exportedBytes(client.accounts.list(), { format: "ndjson", columns })).split("\n");
    const [account] = await client.accounts.list().toArray({ max: 1 });
    expect(JSON.parse(line ?? "")).toEqual({
      id: account?.id,
      town: account?.address?.city ?? null,
      upper: account?.name.toUpperCase(),
      no: null,
    });
  });
});

describe("csv", () => {
  test("has a column for each field of the schema and of nested records, and arrays and custom fields as JSON", async () => {
    const rows = rowsOf(await exportedBytes(client.accounts.list({ per_page: 40 }), { format: "csv" }));
    const accounts = await client.accounts.list().toArray();
    expect(rows).toHaveLength(accounts.length);
    expect(Object.keys(rows[0] ?? {})).toEqual(expect.arrayContaining(["id", "address.city", "label_ids", "custom"]));
    expect(Object.keys(rows[0] ?? {})).not.toContain("address");
    for (const [index, { id, name, email, address, label_ids, custom }] of accounts.entries()) {
      expect(rows[index]).toMatchObject({
        id: String(id),
        name,
        email: email ?? "",
        "address.city": address?.city ?? "",
        label_ids: JSON.stringify(label_ids),
        custom: JSON.stringify(custom),
      });
    }
  });

  test("has the requested columns under their names", async () => {
    const columns = { Number: "number", "Still open, in total": ({ total_open }: Invoice) => total_open } as const;
    const text = String(await exportedBytes(client.invoices.list({ status: ["open"] }), { format: "csv", columns }));
    expect(text.split("\r\n")[0]).toBe('Number,"Still open, in total"');
    const invoices = await client.invoices.list({ status: ["open"] }).toArray();
    expect(rowsOf(text)).toEqual(
      invoices.map(({ number, total_open }) => ({ Number: number ?? "", "Still open, in total": total_open })),
    );
  });

  test("can have columns of records joined by `with`", async () => {
    const enrollments = () => client.enrollments.list({ per_page: 20 });
    const columns = ["id", "planned_course.course_id"] as const;
    const path = join(folder, "list");
    await exportTo(path, enrollments().with({ planned_course: true }), { format: "csv", columns });
    const courses = new Map(
      (await client.plannedCourses.list().toArray()).map((edition) => [edition.id, edition.course_id]),
    );
    const all = await enrollments().toArray();
    expect(rowsOf(readFileSync(path))).toEqual(
      all.map(({ id, planned_course_id }) => ({
        id: String(id),
        "planned_course.course_id": String(courses.get(planned_course_id) ?? ""),
      })),
    );
    await expect(exportTo(path, enrollments(), { format: "csv", columns })).rejects.toThrow("is not a field");
  });

  test("contains only the header if the list is empty", async () => {
    const columns = ["id", "name"] as const;
    const empty = createSandbox({ empty: true });
    const none = mainClient({ fetch: empty.fetch, apiKey: empty.apiKey });
    expect(String(await exportedBytes(none.accounts.list(), { format: "csv", columns }))).toBe("id,name\r\n");
    expect(String(await exportedBytes(none.accounts.list(), { format: "ndjson" }))).toBe("");
  });

  test("of a raw request's list has the fields of its first page with records, also on later pages and after a resume", async () => {
    const pages = [
      [],
      [
        { id: 1, "a.b": "x" },
        { id: 2, c: true },
      ],
      [{ id: 3, c: false, later: 1 }],
    ];
    let failing = true;
    const fetch = async (url: string) => {
      const at = Number(new URL(url).searchParams.get("cursor") ?? 0);
      if (at === 2 && failing) return jsonResponse({ errors: {}, code: 400, message: "no" }, 400);
      return jsonResponse(pages[at], 200, at < 2 ? { link: `</x?cursor=${at + 1}>; rel="next"` } : {});
    };
    const rooms = () => mainClient({ fetch, apiKey: "key-of-rooms" }).requestPages({ path: "api/v1/rooms" });
    const path = join(folder, "rooms.csv");
    await expect(exportTo(path, rooms(), { format: "csv", resume: true })).rejects.toThrow("400");
    failing = false;
    expect(await exportTo(path, rooms(), { format: "csv", resume: true })).toMatchObject({ resumed: true, records: 3 });
    expect(readFileSync(path, "utf8")).toBe("id,a.b,c\r\n1,x,\r\n2,,true\r\n3,,false\r\n");
  });

  test("writes every kind of value as a text", () => {
    const values = [new Date(0), { a: [1] }, "=1+1", "-12.50", "a;b", 'q"q', "two\nlines", -5, null];
    expect(csvRow(values, { delimiter: ";" })).toBe(
      `1970-01-01T00:00:00.000Z;"{""a"":[1]}";=1+1;-12.50;"a;b";"q""q";"two\nlines";-5;\r\n`,
    );
  });

  test("round-trips any values through a CSV reader", () => {
    const cell = fc.oneof(anyText, fc.constantFrom('"', ",", "\r\n", "\n", ";", " ", "", "'"));
    fc.assert(
      fc.property(fc.array(fc.array(cell, { minLength: 1, maxLength: 5 }), { minLength: 1 }), (table) => {
        const text = table.map((row) => csvRow(row, {})).join("");
        const options = { recordDelimiter: "\r\n", relaxColumnCount: true };
        expect(parse(text, options)).toEqual(table);
      }),
    );
  });
});

test("checks paths as far as the schema defines them", () => {
  const problem = (id: string, path: string) => {
    const operation = allOperations.find((row) => row.id === id);
    expect(operation, id).toBeDefined();
    return problemOf(parsePath(path, operation?.response));
  };
  // Custom fields, additional fields of a record, and fields of unknown forms of a record may have any name.
  expect(problem("accounts.list", "custom.anything.below")).toBeNull();
  expect(problem("accounts.list", "label_ids.0")).toBeNull();
  expect(problem("programEditions.listElements", "anything")).toBeNull();
  expect(problem("credits.list", "credits")).toBeNull();
  expect(problem("credits.list", "credits.x")).toContain("credits has no fields");
  expect(problem("accounts.list", "constructor")).toContain("is not a field");
  for (const { id, paged, response } of allOperations) {
    if (!paged || !response) continue;
    for (const { path } of schemaColumns(response, new Map()))
      expect(problemOf(parsePath(path ?? "", response)), id).toBeNull();
  }
  const unknown = new Map([["student", []]]);
  expect(problemOf(parsePath("student.anything", allOperations[0]?.response, unknown))).toBeNull();
});

describe("progress", () => {
  test("reports records, pages, bytes and the rate", async () => {
    const seen: ExportProgress[] = [];
    const options = { format: "ndjson", onProgress: (progress: ExportProgress) => void seen.push(progress) } as const;
    await exportedBytes(client.accounts.list({ per_page: 30 }), options);
    expect(seen.length).toBeGreaterThan(2);
    expect(seen[1]).toMatchObject({ records: 60, pages: 2, resumed: false });
    expect(seen.filter(({ recordsPerSecond, bytes }) => recordsPerSecond <= 0 || bytes <= 0)).toEqual([]);
  });
});

describe("refused before anything is sent", () => {
  const accounts = () => client.accounts.list();
  test.each([
    [{}, "format must be xlsx, csv or ndjson"],
    [{ format: "xml" }, "format must be xlsx, csv or ndjson"],
    [{ format: "csv", column: ["id"] }, 'column is unknown; did you mean "columns"?'],
    [
      { format: "csv", columns: ["adress.city"] },
      'columns.adress.city is not a field of the record; did you mean "address"?',
    ],
    [
      { format: "csv", columns: ["id", "address.citty"] },
      'columns.address.citty is not a field of the record; did you mean "address.city"?',
    ],
    [
      { format: "csv", columns: { town: "address.city.name" } },
      "columns.town names no value: address.city has no fields",
    ],
    [
      { format: "csv", columns: ["label_ids.first"] },
      "label_ids is a list of single values; name one by its position: label_ids.0",
    ],
    [{ format: "csv", columns: ["address."] }, "columns.address. must be a path"],
    [{ format: "csv", columns: [] }, "columns must be an array of paths"],
    [{ format: "csv", columns: { a: 7 } }, "columns.a must be a path"],
    [{ format: "csv", csv: { delimiter: "ab" } }, "csv.delimiter must be one character"],
    [{ format: "csv", csv: { bom: true } }, "csv.bom is unknown"],
    [{ format: "ndjson", gzip: 1 }, "gzip must be true or false"],
    [{ format: "ndjson", resume: "yes" }, "resume must be true or false"],
    [{ format: "ndjson", onProgress: 1 }, "onProgress must be a function"],
  ])("%j", async (options, reason) => {
    const asked = sandbox.requests.length;
    const refused = exportTo(join(folder, "x"), accounts(), options as ExportOptions<Account>);
    await expect(refused).rejects.toMatchObject({ code: "input", operation: "accounts.list" });
    await expect(refused).rejects.toThrow(reason);
    expect(sandbox.requests).toHaveLength(asked);
    expect(readdirSync(folder)).toEqual([]);
  });

  test("a path that does not exist in a joined record", async () => {
    const joinedList = () => client.enrollments.list().with({ student: true }).with({ planned_course: true });
    const asked = sandbox.requests.length;
    const columns = { mail: "student.emial", course: "planned_course.course_id.name" };
    const refused = exportTo(join(folder, "x"), joinedList(), { format: "csv", columns });
    await expect(refused).rejects.toMatchObject({
      code: "input",
      operation: "enrollments.list",
      issues: [
        {
          path: "columns.mail",
          message: expect.stringContaining('is not a field of the record; did you mean "student.email"?'),
        },
        {
          path: "columns.course",
          message: expect.stringContaining("names no value: planned_course.course_id has no fields"),
        },
      ],
    });
    expect(sandbox.requests).toHaveLength(asked);
    expect(readdirSync(folder)).toEqual([]);
    const allowed = ["student", "student.email", "student.custom.colour", "planned_course.course_id"];
    await exportTo(join(folder, "x"), joinedList(), { format: "csv", columns: allowed });
  });

  test("a wrong query, a folder, a value that is not a list, and a stream with resume", async () => {
    const options = { format: "ndjson" } as const;
    const wrongQuery = client.accounts.list({ account_type: "other" as "business" });
    await expect(exportTo(join(folder, "x"), wrongQuery, options)).rejects.toMatchObject({ code: "input" });
    await expect(exportTo(folder, accounts(), options)).rejects.toThrow("target is a folder");
    await expect(exportTo("", accounts(), options)).rejects.toThrow("target must be a file or a stream");
    const page = { records: [] } as unknown as Pages<Account>;
    await expect(exportTo("x", page, options)).rejects.toThrow("must be the result of a list method of a client");
    await expect(exportTo("x", [{}], { ...options, resume: true })).rejects.toThrow(
      "resume needs the result of a client's list method",
    );
    await expect(exportTo(new PassThrough(), accounts(), { ...options, resume: true })).rejects.toThrow("needs a file");
    await expect(exportTo(join(folder, "no/x"), accounts(), options)).rejects.toMatchObject({ code: "input" });
  });
});

function problemOf(found: ReturnType<typeof parsePath>): string | null {
  return "problem" in found ? found.problem : null;
}
