import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { gunzipSync } from "node:zlib";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { exportTo } from "../../src/export/node.js";
import { exportWith } from "../../src/export/node-export.js";
import type { Contact } from "../../src/index.js";
import { mainClient } from "../support/clients.js";
import { scriptedList, upTo } from "../support/lists.js";
import { filesThatStopAt } from "./support/failing-files.js";
import { leaveLock } from "./support/locks.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "export-refusals-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

const list = scriptedList(47);
const contacts = (from = list) =>
  mainClient({ apiKey: "key-of-exports", fetch: from.fetch, rateLimit: false }).organization.contacts.list({
    per_page: 10,
  });
const idsOf = (path: string) =>
  readFileSync(path, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => (JSON.parse(line) as Contact).id);

describe("a compressed export of an empty list is one empty gzip member", () => {
  const empty = scriptedList(0);

  test.each([false, true])("in a file, resume %s", async (resume) => {
    const path = join(folder, "none.gz");
    const { bytes, records } = await exportTo(path, contacts(empty), { format: "ndjson", gzip: true, resume });
    expect([readFileSync(path).length, records]).toEqual([bytes, 0]);
    expect(String(gunzipSync(readFileSync(path)))).toBe("");
    expect(readdirSync(folder)).toEqual(["none.gz"]);
  });

  test("at whichever step the process is killed", async () => {
    const options = { format: "ndjson", gzip: true, resume: true } as const;
    for (let step = 1; ; step++) {
      const path = join(folder, `killed-at-${step}`);
      const killed = filesThatStopAt(step, 0.5);
      await exportWith(killed.files, path, contacts(empty), options).catch(() => null);
      if (!killed.failed) break;
      await exportTo(path, contacts(empty), options);
      expect(readFileSync(path).length, `step ${step}`).toBe(20);
      expect(String(gunzipSync(readFileSync(path)))).toBe("");
    }
  });

  test("in a stream", async () => {
    const stream = new PassThrough();
    const { bytes } = await exportTo(stream, contacts(empty), { format: "ndjson", gzip: true });
    const written = stream.read() as Buffer;
    expect([written.length, String(gunzipSync(written))]).toEqual([bytes, ""]);
  });
});

describe("two exports to one file", () => {
  const options = { format: "ndjson" } as const;

  test("the second is refused before anything is sent, and the first finishes", async () => {
    const path = join(folder, "list");
    for (let round = 0; round < 5; round++) {
      const other = scriptedList(30);
      const results = await Promise.allSettled([
        exportTo(path, contacts(), options),
        exportTo(path, contacts(other), { ...options, resume: true }),
      ]);
      const refused = results.filter((result) => result.status === "rejected");
      expect(refused).toMatchObject([{ reason: { code: "input", operation: "organization.contacts.list" } }]);
      expect(String(refused[0]?.reason)).toContain("target is being written by another export of this process");
      expect(idsOf(path)).toEqual(upTo(results[0]?.status === "fulfilled" ? 47 : 30));
      expect(readdirSync(folder)).toEqual(["list"]);
    }
  });

  test("the error names another process while it is alive; once it is killed, its lock no longer counts", async () => {
    const path = join(folder, "list");
    const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
    onTestFinished(() => void child.kill("SIGKILL"));
    await once(child, "spawn");
    const stat = process.platform === "linux" ? readFileSync(`/proc/${child.pid}/stat`, "utf8") : null;
    const started = stat?.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? null;
    await leaveLock(path, { pid: child.pid, started });
    const asked = list.pages.length;
    await expect(exportTo(path, contacts(), options)).rejects.toThrow(
      `target is being written by another export of process ${child.pid} (${path}.lock); wait`,
    );
    expect(list.pages).toHaveLength(asked);
    child.kill("SIGKILL");
    await once(child, "exit");
    await exportTo(path, contacts(), options);
    expect(readdirSync(folder)).toEqual(["list"]);
  });

  test.skipIf(process.platform !== "linux")(
    "a process that has the number of a dead one is not mistaken for it",
    async () => {
      const path = join(folder, "list");
      await leaveLock(path, { pid: process.ppid, started: "1" });
      await exportTo(path, contacts(), options);
      expect(readdirSync(folder)).toEqual(["list"]);
    },
  );

  test("a lock of another thread of this process counts; one of an earlier process with the same number does not", async () => {
    const path = join(folder, "list");
    await leaveLock(path, { thread: 987_654 });
    await expect(exportTo(path, contacts(), options)).rejects.toThrow("of this process");
    writeFileSync(`${path}.lock`, "");
    await expect(exportTo(path, contacts(), options)).rejects.toThrow("of another process");
    utimesSync(`${path}.lock`, 1, 1);
    await exportTo(path, contacts(), options);
    expect(readdirSync(folder)).toEqual(["list"]);
  });

  test("only one of several processes takes the lock of a killed one", async () => {
    const path = join(folder, "list");
    await leaveLock(path, { pid: 2 ** 30 });
    const results = await Promise.allSettled(Array.from({ length: 5 }, () => exportTo(path, contacts(), options)));
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(idsOf(path)).toEqual(upTo(47));
  });
});

describe("an invalid target is refused before anything is sent", () => {
  test.each([
    ["a stream of the web", () => new WritableStream(), "target is a web stream; pass a Node stream"],
    ["a URL of the network", () => new URL("https://x/y"), "target must be a file on this machine: a URL"],
    ["a URL with an encoded slash", () => new URL("file:///a%2Fb"), "target must be a file on this machine: a URL"],
    ["a NUL in a path", () => "a\0b", "target must be a path without NUL characters"],
    ["a NUL in a URL", () => new URL("file:///a%00b"), "target must be a path without NUL characters"],
    ["nothing", () => null, "target must be a file or a Node stream"],
    ["an empty path", () => "", "target must be a file or a stream"],
  ])("%s", async (_, target, message) => {
    const asked = list.pages.length;
    const error = await exportTo(target() as never, contacts(), { format: "csv" }).catch((problem: unknown) => problem);
    expect(error).toMatchObject({ code: "input", message: expect.stringContaining(message) });
    expect(list.pages).toHaveLength(asked);
  });
});

describe.each(["csv", "ndjson"] as const)("a column's function, %s", (format) => {
  const outcome = async (A: (record: Contact) => unknown) => {
    const asked = list.pages.length;
    const error = await exportTo(join(folder, "x"), contacts(), { format, columns: { A } }).catch((e: unknown) => e);
    return { error: error as Error, asked: list.pages.length - asked };
  };

  test("is refused before anything is sent if it is async", async () => {
    const { error, asked } = await outcome(async ({ id }) => id);
    expect(error).toMatchObject({ code: "input", message: expect.stringContaining("columns.A is an async function") });
    expect(asked).toBe(0);
  });

  test("is refused if it returns a promise, even one that rejects", async () => {
    const { error } = await outcome(() => Promise.reject(new Error("nobody handles this")));
    expect(error).toMatchObject({ code: "input", message: expect.stringContaining("columns.A returned a promise") });
    expect(error).toMatchObject({ issues: [{ path: "columns.A", message: expect.stringContaining("a promise") }] });
  });

  test.each([null, undefined])("leaves the value out if it returns %s", async (none) => {
    expect((await outcome(() => none)).error).toMatchObject({ records: 47 });
  });

  test("is named in the error if it throws or returns an invalid Date, without values of the record", async () => {
    const own = new Error("secret@mail.example");
    const thrown = await outcome(() => {
      throw own;
    });
    expect(thrown.error).toMatchObject({ code: "input", cause: own });
    expect(thrown.error.message).toBe("organization.contacts.list: columns.A threw an error; see its cause.");
    const { error } = await outcome(() => new Date("no date"));
    expect(error.message).toBe("organization.contacts.list: columns.A returned an invalid Date.");
  });

  test("is named in the error if it returns a value that JSON cannot represent", async () => {
    const cyclic: unknown[] = [];
    cyclic.push(cyclic);
    for (const value of [cyclic, [1n], ...(format === "ndjson" ? [1n] : [])]) {
      expect((await outcome(() => value)).error).toMatchObject({
        code: "input",
        message: "organization.contacts.list: columns.A returned a value that JSON cannot represent; see its cause.",
        cause: expect.any(TypeError),
      });
    }
  });
});

test("counts as another column on resume if its text differs, even under the same name", async () => {
  const path = join(folder, "contacts.csv");
  const some = { format: "csv", resume: true, columns: { id: ({ id }: Contact) => `${id}` } } as const;
  list.failNext(3, () => new Response(null, { status: 400 }));
  await expect(exportTo(path, contacts(), some)).rejects.toThrow();
  const others = { ...some, columns: { id: ({ id }: Contact) => `no. ${id}` } };
  await expect(exportTo(path, contacts(), others)).rejects.toMatchObject({ code: "checkpoint" });
  const same = { ...some, columns: { id: ({ id }: Contact) => `${id}` } };
  expect(await exportTo(path, contacts(), same)).toMatchObject({ resumed: true, records: 47 });
});

test("a foreign file that replaces the part is not renamed to the target", async () => {
  const path = join(folder, "contacts.ndjson");
  const replaced = exportTo(path, contacts(), {
    format: "ndjson",
    onProgress: ({ pages }) => {
      if (pages !== 2) return;
      writeFileSync(join(folder, "stranger"), "a stranger's");
      renameSync(join(folder, "stranger"), `${path}.part`);
    },
  });
  await expect(replaced).rejects.toThrow("another process is writing to it");
  expect(existsSync(path), "the file exists").toBe(false);
});
