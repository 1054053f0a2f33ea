import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import fc from "fast-check";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { type ExportOptions, exportTo } from "../../src/export/node.js";
import { exportWith } from "../../src/export/node-export.js";
import type { Contact } from "../../src/index.js";
import { machineFiles } from "../../src/work/place/node-files.js";
import { amount, drawCases } from "../support/amount.js";
import { mainClient } from "../support/clients.js";
import { scriptedList, upTo } from "../support/lists.js";
import { filesThatAreFull, filesThatStopAt } from "./support/failing-files.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "export-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

/** Five pages with 47 contacts. */
const list = scriptedList(47);
const contacts = () =>
  mainClient({ apiKey: "key-of-exports", fetch: list.fetch, rateLimit: false }).organization.contacts.list({
    per_page: 10,
  });
const FORMATS: readonly ExportOptions<Contact>[] = [
  { format: "ndjson", resume: true },
  { format: "csv", resume: true },
  { format: "csv", gzip: true, resume: true },
];

async function exportWhole(options: ExportOptions<Contact>): Promise<Buffer> {
  const path = join(folder, "undisturbed");
  await exportTo(path, contacts(), options);
  return readFileSync(path);
}

// Tries every STRIDE-th step.
const STRIDE = amount(4, 1);

describe.each(drawCases(FORMATS, 1))("an export that is interrupted, %j", (options) => {
  test("has the same result, at whichever step the process is killed", async () => {
    const expected = await exportWhole(options);
    let kills = 0;
    for (let step = 1; ; step += STRIDE) {
      const path = join(folder, `killed-at-${step}`);
      const killed = filesThatStopAt(step, (step % 5) / 4);
      const first = await exportWith(killed.files, path, contacts(), options).catch(() => null);
      if (!killed.failed) break;
      expect(first, `step ${step}`).toBeNull();
      kills++;
      await exportTo(path, contacts(), options);
      expect(readFileSync(path).equals(expected), `step ${step}`).toBe(true);
    }
    expect(kills * STRIDE).toBeGreaterThan(35);
    // Neither a part nor a state file is left.
    expect(readdirSync(folder)).toHaveLength(kills + 2);
  });

  test("has the same result if it is killed repeatedly and the part loses its end", async () => {
    const expected = await exportWhole(options);
    let resumed = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({ step: fc.integer({ min: 1, max: 60 }), share: fc.double({ min: 0, max: 1, noNaN: true }) }),
          {
            minLength: 1,
            maxLength: 6,
          },
        ),
        async (kills) => {
          const path = join(folder, "torn");
          for (const { step, share } of kills) {
            await exportWith(filesThatStopAt(step, share).files, path, contacts(), options).catch(() => null);
            const size = sizeOf(`${path}.part`);
            // Half of the cuts remove recorded bytes, so those exports start over.
            if (size > 0 && share > 0.3) truncateSync(`${path}.part`, Math.floor(size * share));
          }
          const last = await exportTo(path, contacts(), options);
          if (last.resumed) resumed++;
          expect(readFileSync(path).equals(expected), `kills ${JSON.stringify(kills)}`).toBe(true);
          expect(last).toMatchObject({ records: 47, pages: 5, bytes: expected.length });
          rmSync(path);
        },
      ),
      // These exports certainly continue: they are killed in the middle, and the part is not cut.
      { numRuns: 9, examples: [16, 20, 24, 28, 32].map((step) => [[{ step, share: 0.2 }]]) },
    );
    expect(resumed).toBeGreaterThan(1);
  });

  test("has the same result if a byte of the part or the state has changed", async () => {
    const expected = await exportWhole(options);
    for (const [name, at] of [
      ["part", 0],
      ["part", 50],
      ["state", 3],
      ["state", 60],
    ] as const) {
      const path = join(folder, "changed");
      await exportWith(filesThatStopAt(35, 0.5).files, path, contacts(), options).catch(() => null);
      const bytes = readFileSync(`${path}.${name}`);
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      await machineFiles.remove(`${path}.${name}`);
      const file = await machineFiles.create(`${path}.${name}`, 0o600);
      await file.write(bytes);
      await file.close();
      // A state of another operation or list is refused; `resume: false` replaces it.
      const done = await exportTo(path, contacts(), options).catch(() => null);
      if (done === null) await exportTo(path, contacts(), { ...options, resume: false });
      expect(readFileSync(path).equals(expected), `${name} ${at}`).toBe(true);
    }
  });

  test("has the same result after the disk was full, and frees its space after a failure", async () => {
    const expected = await exportWhole(options);
    for (let step = 5; step < 31; step += 4) {
      const path = join(folder, `full-at-${step}`);
      const full = filesThatAreFull(step, step + 6);
      await expect(exportWith(full.files, path, contacts(), options)).rejects.toThrow(
        `${path} could not be written: the disk is full. An existing file is unchanged: make room, then export again`,
      );
      const state = await machineFiles.read(`${path}.state`);
      const recorded = state === null ? 0 : (JSON.parse(state) as { size: number }).size;
      const page = expected.length / 3;
      expect(sizeOf(`${path}.part`) - recorded).toBeLessThan(page);
      await exportTo(path, contacts(), options);
      expect(readFileSync(path).equals(expected), `step ${step}`).toBe(true);
    }
  });
});

describe("continuing an export", () => {
  const options = { format: "ndjson", resume: true } as const;

  test("requests only the pages after the last whole one", async () => {
    const path = join(folder, "contacts.ndjson");
    list.failNext(4, () => new Response(null, { status: 400 }));
    await expect(exportTo(path, contacts(), options)).rejects.toMatchObject({ status: 400 });
    expect(readdirSync(folder).sort()).toEqual(["contacts.ndjson.part", "contacts.ndjson.state"]);
    const asked = list.pages.length;
    const seen: unknown[] = [];
    const result = await exportTo(path, contacts(), {
      ...options,
      onProgress: ({ records, pages, resumed, percent }) => {
        seen.push([records, pages, resumed, percent]);
        throw new Error("an observer's own");
      },
    });
    expect(list.pages.slice(asked)).toEqual([4, 5]);
    expect(seen).toEqual([
      [40, 4, true, null],
      [47, 5, true, 100],
    ]);
    expect(result).toEqual({
      records: 47,
      pages: 5,
      bytes: statSync(path).size,
      resumed: true,
      total: null,
      absent: [],
    });
    expect(idsOf(path)).toEqual(upTo(47));
    expect(readdirSync(folder)).toEqual(["contacts.ndjson"]);
  });

  test("names the columns that no record has had, in this run or an earlier one", async () => {
    const path = join(folder, "contacts.ndjson");
    // Only the first pages contain e-mail addresses, and only the last ones middle names.
    const fetch: typeof list.fetch = async (...args) => {
      const response = await list.fetch(...args);
      const text = await response.text();
      const isLate = (list.pages.at(-1) ?? 0) > 3;
      const shown = text.replaceAll(isLate ? /,"email":"[^"]*"/g : /"middle_name":null,/g, "");
      return new Response(shown.replaceAll(/"first_name":"Ada",/g, ""), response);
    };
    const client = mainClient({ apiKey: "key-of-exports", fetch, rateLimit: false, validation: "off" });
    const some = { ...options, columns: ["id", "email", "middle_name", "first_name"] as const };
    list.failNext(4, () => new Response(null, { status: 400 }));
    const ask = () => exportTo(path, client.organization.contacts.list({ per_page: 10 }), some);
    await expect(ask()).rejects.toMatchObject({ status: 400 });
    expect(await ask()).toMatchObject({ records: 47, resumed: true, absent: ["first_name"] });
    expect((await exportTo(path, [], { format: "csv", columns: ["id"] as never })).absent).toEqual([]);
  });

  test("starts over without resume, and after a complete export", async () => {
    const path = join(folder, "contacts.ndjson");
    list.failNext(3, () => new Response(null, { status: 400 }));
    await expect(exportTo(path, contacts(), options)).rejects.toThrow();
    expect(await exportTo(path, contacts(), { format: "ndjson" })).toMatchObject({ resumed: false, records: 47 });
    expect(await exportTo(path, contacts(), options)).toMatchObject({ resumed: false, records: 47 });
    expect(idsOf(path)).toEqual(upTo(47));
  });

  test("loses nothing if the key stops working", async () => {
    const path = join(folder, "contacts.ndjson");
    await exportTo(path, contacts(), options);
    list.failNext(3, () => new Response(null, { status: 400 }));
    await expect(exportTo(path, contacts(), options)).rejects.toThrow();
    const [part, state] = [readFileSync(`${path}.part`), readFileSync(`${path}.state`)];
    list.failNext(1, () => new Response(null, { status: 403 }));
    await expect(exportTo(path, contacts(), { format: "ndjson" })).rejects.toThrow("403");
    expect([readFileSync(`${path}.part`), readFileSync(`${path}.state`)]).toEqual([part, state]);
    expect(idsOf(path)).toEqual(upTo(47));
  });

  test.each([
    [
      "another list",
      () => mainClient({ apiKey: "key-of-exports", fetch: list.fetch }).accounts.list(),
      options,
      "of organization.contacts.list",
    ],
    [
      "another start",
      () =>
        mainClient({ apiKey: "key-of-exports", fetch: list.fetch }).organization.contacts.list({ cursor: "after-20" }),
      options,
      "different filters, references, starting position",
    ],
    [
      "another address",
      () =>
        mainClient({
          apiKey: "key-of-exports",
          fetch: list.fetch,
          baseUrl: "https://other.example",
        }).organization.contacts.list(),
      options,
      "or base URL",
    ],
    ["another format", contacts, { format: "csv", resume: true }, "another format"],
    ["other columns", contacts, { ...options, columns: ["id"] }, "other columns"],
    ["compression", contacts, { ...options, gzip: true }, "another compression"],
  ] as const)("%s is refused before anything is sent", async (_, other, otherOptions, reason) => {
    const path = join(folder, "contacts.ndjson");
    list.failNext(3, () => new Response(null, { status: 400 }));
    await expect(exportTo(path, contacts(), options)).rejects.toThrow();
    const asked = list.pages.length;
    const refused = exportTo(path, other() as ReturnType<typeof contacts>, otherOptions);
    await expect(refused).rejects.toMatchObject({ code: "checkpoint", message: expect.stringContaining(reason) });
    expect(list.pages).toHaveLength(asked);
    expect(await exportTo(path, contacts(), options)).toMatchObject({ resumed: true });
  });

  test("starts over if the service no longer accepts the cursor", async () => {
    const path = join(folder, "contacts.ndjson");
    list.failNext(3, () => new Response(null, { status: 400 }));
    await expect(exportTo(path, contacts(), options)).rejects.toThrow();
    const body = { errors: { cursor: ["expired"] }, code: 422, message: "cursor has expired" };
    list.failNext(3, () => Response.json(body, { status: 422 }));
    expect(await exportTo(path, contacts(), options)).toMatchObject({ resumed: false, records: 47, pages: 5 });
    expect(idsOf(path)).toEqual(upTo(47));
  });

  test("counts the pages of earlier runs toward maxPages", async () => {
    const path = join(folder, "contacts.ndjson");
    const some = () =>
      mainClient({ apiKey: "key-of-exports", fetch: list.fetch }).organization.contacts.list(
        { per_page: 10 },
        { maxPages: 3, prefetch: 0 },
      );
    list.failNext(3, () => new Response(null, { status: 400 }));
    await expect(exportTo(path, some(), options)).rejects.toThrow();
    expect(await exportTo(path, some(), options)).toMatchObject({ pages: 3, records: 30, resumed: true });
    // Stops after the last page has been recorded, but before the file is renamed.
    await exportWith(filesThatStopAt(40, 1).files, path, some(), options).catch(() => null);
    expect(await exportTo(path, some(), options)).toMatchObject({ pages: 3, records: 30 });
    expect(idsOf(path)).toEqual(upTo(30));
  });

  test("stops a second process that writes to the same file, so that pages are not mixed", async () => {
    const path = join(folder, "contacts.ndjson");
    const other = exportTo(path, contacts(), { format: "ndjson", onProgress: () => truncateSync(`${path}.part`, 7) });
    await expect(other).rejects.toThrow("another process is writing to it");
    await exportTo(path, contacts(), options);
    expect(idsOf(path)).toEqual(upTo(47));
  });
});

function idsOf(path: string): number[] {
  const text = readFileSync(path);
  const plain = text[0] === 0x1f ? gunzipSync(text) : text;
  return plain
    .toString()
    .split("\n")
    .slice(0, -1)
    .map((line) => (JSON.parse(line) as { id: number }).id);
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
