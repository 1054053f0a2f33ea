import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { tmpdir, uptime } from "node:os";
import { basename, join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { exportTo } from "../../src/export/node.js";
import { exportWith } from "../../src/export/node-export.js";
import { type Files, machineFiles } from "../../src/work/place/node-files.js";
import { FileLock } from "../../src/work/place/node-lock.js";
import { mainClient } from "../support/clients.js";
import { scriptedList, upTo } from "../support/lists.js";
import { leaveLock, lockLike } from "./support/locks.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "export-durable-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

const contacts = (size = 25, fetch = scriptedList(size).fetch) =>
  mainClient({ apiKey: "key-of-exports", fetch, rateLimit: false }).organization.contacts.list(
    { per_page: 10 },
    { prefetch: 0 },
  );
const idsOf = (path: string) =>
  readFileSync(path, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => (JSON.parse(line) as { id: number }).id);

/** A disk that records all operations in order. */
function recording(): { readonly files: Files; readonly log: string[] } {
  const log: string[] = [];
  const logCalls =
    <Args extends [string, ...unknown[]], Value>(name: string, work: (...args: Args) => Promise<Value>) =>
    async (...args: Args) => {
      log.push(`${name} ${basename(args[0])}`);
      return work(...args);
    };
  const paths = new WeakMap<FileHandle, string>();
  const handle = (path: string, file: FileHandle) => {
    const recorded = new Proxy(file, {
      get(target, name) {
        const value = Reflect.get(target, name) as unknown;
        if (typeof value !== "function") return value;
        return (...args: unknown[]) => {
          if (name === "write" || name === "truncate") log.push(`${name} ${basename(path)}`);
          return (value as (...args: unknown[]) => unknown).apply(target, args);
        };
      },
    });
    paths.set(recorded, path);
    return recorded;
  };
  const files: Files = {
    ...machineFiles,
    open: async (path) => handle(path, await machineFiles.open(path)),
    create: logCalls("create", async (path, mode) => handle(path, await machineFiles.create(path, mode))),
    flush: async (file) => {
      log.push(`sync ${basename(paths.get(file) ?? "")}`);
      await machineFiles.flush(file);
    },
    rename: logCalls("rename", machineFiles.rename),
    remove: logCalls("remove", machineFiles.remove),
    syncFolderOf: logCalls("sync folder of", machineFiles.syncFolderOf),
  };
  return { files, log };
}

describe("after a power cut", () => {
  test("leaves no state that counts a missing page, and no name of a missing file", async () => {
    const { files, log } = recording();
    await exportWith(files, join(folder, "x"), contacts(15), { format: "ndjson", resume: true });
    const page = [
      "write x.part",
      "sync x.part",
      ...["remove", "create", "write", "sync", "rename"].map((step) => `${step} x.state.new`),
      "sync folder of x.state",
    ];
    expect(log).toEqual([
      "create x.lock",
      "write x.lock",
      "remove x.state",
      "sync folder of x.state",
      "remove x.part",
      "create x.part",
      ...page,
      ...page,
      "sync x.part",
      "rename x.part",
      "sync folder of x",
      "remove x.state",
      "sync folder of x",
      "remove x.lock",
    ]);
  });

  test("leaves a part whose bytes differ from the state: it is written again", async () => {
    const path = join(folder, "x");
    const list = scriptedList(25);
    const breaking = (input: string, init: RequestInit) => {
      if (list.pages.length === 2) throw new Error("gone");
      return list.fetch(input, init);
    };
    const first = mainClient({ apiKey: "key-of-exports", fetch: breaking as never, rateLimit: false, retry: false });
    const pages = first.organization.contacts.list({ per_page: 10 }, { prefetch: 0 });
    await expect(exportTo(path, pages, { format: "ndjson" })).rejects.toThrow();
    const part = readFileSync(`${path}.part`);
    part[5] = (part[5] ?? 0) ^ 1;
    writeFileSync(`${path}.part`, part);
    expect(await exportTo(path, contacts(), { format: "ndjson", resume: true })).toMatchObject({ resumed: false });
    expect(idsOf(path)).toEqual(upTo(25));
  });
});

test.each([
  ["a\rb", '"a\rb"'],
  ["a\nb", '"a\nb"'],
  ["a,b", '"a,b"'],
  ['a"b', '"a""b"'],
  ["a b", "a b"],
])("CSV quotes %j as %j", async (name, cell) => {
  const path = join(folder, "x.csv");
  const columns = { Name: () => name };
  await exportTo(path, contacts(1), { format: "csv", columns });
  expect(readFileSync(path, "utf8")).toBe(`Name\r\n${cell}\r\n`);
});

describe("a lock", () => {
  const options = { format: "ndjson" } as const;
  test("from before the last start of the machine is free, even if a process has its number", async () => {
    const path = join(folder, "x");
    await leaveLock(path, { pid: process.ppid, started: null });
    await expect(exportTo(path, contacts(), options)).rejects.toThrow(`of process ${process.ppid}`);
    rmSync(`${path}.lock`);
    await leaveLock(path, { pid: process.ppid, started: null, at: Date.now() - uptime() * 1000 - 60_000 });
    await exportTo(path, contacts(), options);
    expect(readdirSync(folder)).toEqual(["x"]);
  });

  test("taken by another process while a dead one's lock was being moved is given back", async () => {
    const path = join(folder, "x.lock");
    const dead = await lockLike(join(folder, "x"), { pid: 2 ** 30 });
    const theirs = await lockLike(join(folder, "x"), { pid: process.ppid, started: null });
    writeFileSync(path, dead);
    let isFirst = true;
    const files: Files = {
      ...machineFiles,
      rename: async (from, to) => {
        if (isFirst) writeFileSync(path, theirs);
        isFirst = false;
        await machineFiles.rename(from, to);
      },
    };
    expect(await FileLock.of(join(folder, "x"), files)).toBe(`process ${process.ppid}`);
    expect(readdirSync(folder)).toEqual(["x.lock"]);
    expect(readFileSync(path, "utf8")).toBe(theirs);
  });

  test("of another container or machine counts until it has been untouched for two minutes", async () => {
    const path = join(folder, "x");
    // No process on this machine has this number.
    await leaveLock(path, { pid: 2 ** 30, place: "another machine" });
    const touchLock = (seconds: number) => utimesSync(`${path}.lock`, Date.now() / 1000, Date.now() / 1000 - seconds);
    for (const seconds of [-3600, 0, 100]) {
      touchLock(seconds);
      await expect(exportTo(path, contacts(), options)).rejects.toThrow(
        `of process ${2 ** 30} of another container or machine; if it was killed, try again in 2 minutes`,
      );
    }
    touchLock(125);
    await exportTo(path, contacts(), options);
    expect(readdirSync(folder)).toEqual(["x"]);
  });

  test("is touched while its owner waits, and is left alone once another process has taken it", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const path = join(folder, "x");
    const touched: string[] = [];
    const files = { ...machineFiles, touch: async (file: string) => void touched.push(basename(file)) };
    const lock = (await FileLock.of(path, files)) as FileLock;
    vi.advanceTimersByTime(60_000);
    expect(touched).toEqual(["x.lock", "x.lock", "x.lock"]);
    writeFileSync(`${path}.lock`, "theirs");
    await lock.release();
    vi.advanceTimersByTime(60_000);
    expect(touched).toHaveLength(3);
    expect(readFileSync(`${path}.lock`, "utf8")).toBe("theirs");
  });

  test("left behind by a process killed while moving it is removed later; one still being moved stays", async () => {
    const path = join(folder, "x");
    const id = "01234567-89ab-cdef-0123-456789abcde";
    const kept = [`x.lock.${id}1`, "x.lock.of-mine"];
    for (const name of [`x.lock.${id}0`, ...kept]) writeFileSync(join(folder, name), "{}");
    for (const name of [`x.lock.${id}0`, "x.lock.of-mine"])
      utimesSync(join(folder, name), 1, Date.now() / 1000 - 3_700);
    await exportTo(path, contacts(), options);
    expect(readdirSync(folder).sort()).toEqual(["x", ...kept].sort());
  });

  test("of another copy of the library in this process counts", async () => {
    const path = join(folder, "x");
    vi.resetModules();
    onTestFinished(() => void vi.resetModules());
    const { exportTo: other } = await import("../../src/export/node.js");
    expect(other).not.toBe(exportTo);
    const problems: unknown[] = [];
    const onProgress = async () => {
      problems.push(await other(path, contacts() as never, options).catch((error: unknown) => String(error)));
    };
    await exportTo(path, contacts(10), { ...options, onProgress: () => void onProgress() });
    await expect.poll(() => problems).toEqual([expect.stringContaining("of this process")]);
  });

  test.skipIf(process.platform !== "linux")("of a process that has ended but has not been reaped is free", async () => {
    const path = join(folder, "x");
    // The shell becomes a program that never reaps its child; only then does the test end the child.
    const parent: ChildProcess = spawn("/bin/sh", ["-c", "cat <&3 & echo $!; exec sleep 60 3<&-"], {
      stdio: ["ignore", "pipe", "ignore", "pipe"],
    });
    onTestFinished(() => void parent.kill("SIGKILL"));
    const [line] = (await once(parent.stdout as NodeJS.ReadableStream, "data")) as [Buffer];
    const pid = Number(String(line).trim());
    await expect.poll(() => readFileSync(`/proc/${parent.pid}/comm`, "utf8").trim()).toBe("sleep");
    (parent.stdio[3] as NodeJS.WritableStream).end();
    const stat = () =>
      readFileSync(`/proc/${pid}/stat`, "utf8")
        .replace(/^.*\) /, "")
        .split(" ");
    await expect.poll(() => stat()[0]).toBe("Z");
    await leaveLock(path, { pid, started: stat()[19] });
    await exportTo(path, contacts(), options);
    expect(idsOf(path)).toEqual(upTo(25));
  });
});
