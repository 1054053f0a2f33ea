import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { runCli } from "../../src/cli/main.js";
import { exportTo } from "../../src/export/node.js";
import type { Contact } from "../../src/index.js";
import { mainClient } from "../support/clients.js";
import { contactRecord } from "../support/records.js";
import { type Handler, json, serve } from "../support/server.js";

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "short-lists-"));
  path = join(folder, "contacts.ndjson");
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

const idsOf = () =>
  readFileSync(path, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => (JSON.parse(line) as Contact).id);

/** Responds with two records and a total for the first page, and with the test's response for the next one. */
const twoPages =
  (next: Handler | null, total = "5"): Handler =>
  (request, response) => {
    if (next && request.query.has("cursor")) return next(request, response);
    const link = next ? { link: '<?cursor=2>; rel="next"' } : {};
    json(response, 200, [contactRecord(1), contactRecord(2)], { ...link, total });
  };
const endList: Handler = (_, response) => response.writeHead(204).end();

describe("a list that ends before the service's count", () => {
  test.each<[string, Handler | null]>([
    ["without a next page", null],
    ["with an empty page", endList],
  ])("is reported in the result and by the command: %s", async (_, next) => {
    const { url } = await serve(twoPages(next));
    const pages = mainClient({ baseUrl: url }).organization.contacts.list();
    expect(await exportTo(path, pages, { format: "ndjson" })).toMatchObject({ records: 2, total: 5 });
    const run = async (...more: string[]) => {
      const written = { stdout: "", stderr: "" };
      const output = (name: keyof typeof written) => ({
        write: (chunk: string | Uint8Array, callback?: () => void) => {
          written[name] += chunk;
          callback?.();
        },
        on: () => undefined,
        off: () => undefined,
      });
      const status = await runCli(["export", "organization.contacts", "--quiet", "--out", path, ...more], {
        env: { EDUCATION_ADMIN_BASE_URL: url, EDUCATION_ADMIN_API_KEY: "key-of-short-lists" },
        stdout: output("stdout"),
        stderr: output("stderr"),
      });
      return [status, written.stderr];
    };
    expect(await run()).toEqual([0, "The service counts 5 records, but its list had 2\n"]);
    expect(await run("--limit", "2")).toEqual([0, ""]);
  });

  test("is not reported if the service's count matches or is missing", async () => {
    for (const [total, told] of [
      ["2", 2],
      ["", null],
    ] as const) {
      const { url } = await serve(twoPages(null, total));
      const pages = mainClient({ baseUrl: url }).organization.contacts.list();
      expect(await exportTo(path, pages, { format: "ndjson" })).toMatchObject({ records: 2, total: told });
    }
  });
});

describe("an export that another key continues", () => {
  const interruptExport = async (apiKey: string | (() => string)) => {
    let school = "A";
    const server = await serve((request, response) => {
      if (!request.query.has("cursor")) return twoPages(endList)({ ...request }, response);
      if (school === "A") return json(response, 403, { errors: {}, code: 403, message: "no" });
      json(response, 200, [contactRecord(3)]);
    });
    const list = (key: string | (() => string)) =>
      mainClient({ baseUrl: server.url, apiKey: key }).organization.contacts.list();
    await expect(exportTo(path, list(apiKey), { format: "ndjson" })).rejects.toThrow("403");
    school = "B";
    return (key: string | (() => string)) => exportTo(path, list(key), { format: "ndjson", resume: true });
  };

  test("starts over, because the key may belong to another school, and stores no part of a key", async () => {
    const resume = await interruptExport("key-of-school-a");
    const state = readFileSync(`${path}.state`, "utf8");
    expect(state).not.toContain("key-of-school");
    expect(await resume("key-of-school-b")).toMatchObject({ resumed: false, records: 3 });
    expect(idsOf()).toEqual([1, 2, 3]);
  });

  test("continues with the same key, and with any key that a function returns", async () => {
    for (const [first, second] of [
      ["key-of-school-a", "key-of-school-a"],
      [() => "key-of-school-c", () => "key-of-school-d"],
    ] as const) {
      const resume = await interruptExport(first);
      expect(await resume(second)).toMatchObject({ resumed: true, records: 3 });
      expect(idsOf()).toEqual([1, 2, 3]);
    }
  });
});
