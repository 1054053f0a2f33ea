import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { machineFiles } from "../../src/work/place/node-files.js";
import { GrowingFile } from "../../src/work/place/node-growing-file.js";
import { FileLock } from "../../src/work/place/node-lock.js";
import { appendLine, writeWhole } from "../../src/work/place/node-whole.js";
import { filesThatAreFull } from "../export/support/failing-files.js";

let folder: string;
const at = (name: string) => join(folder, name);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "place-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

const modeOf = (path: string) => statSync(path).mode & 0o777;

describe("the disk of this machine", () => {
  test("creates a file once, and opens only one that exists", async () => {
    const file = await machineFiles.create(at("a"), 0o600);
    await file.close();
    await expect(machineFiles.create(at("a"), 0o600)).rejects.toThrow("EEXIST");
    await expect(machineFiles.create(at("none/a"), 0o600)).rejects.toThrow("ENOENT");
    await expect(machineFiles.open(at("b"))).rejects.toThrow("ENOENT");
  });

  test("lists the files beside a file whose names begin with its name, and no others", async () => {
    for (const name of ["a.csv", "a.csv.part", "a.csv.state", "a.csvx", "b.csv.part"]) writeFileSync(at(name), "");
    const found = await machineFiles.siblings(at("a.csv"));
    expect(found.sort()).toEqual([at("a.csv.part"), at("a.csv.state")]);
  });

  test("opens the folder to sync its entries to disk, except on Windows", async () => {
    await machineFiles.syncFolderOf(at("a.csv"));
    const missing = at("none/a.csv");
    await expect(machineFiles.syncFolderOf(missing)).rejects.toThrow("ENOENT");
    const platform = vi.spyOn(process, "platform", "get").mockReturnValue("win32");
    await machineFiles.syncFolderOf(missing);
    platform.mockRestore();
  });

  test("flushes files by descriptor, because under Yarn Plug'n'Play a handle has no sync", async () => {
    const handle = await open(at("any"), "w");
    const prototype = Object.getPrototypeOf(handle) as FileHandle;
    await handle.close();
    for (const name of ["sync", "datasync"] as const)
      vi.spyOn(prototype, name).mockRejectedValue(new Error("Method not implemented."));
    await writeWhole(at("a"), "text");
    const growing = await GrowingFile.create(at("b"), 0o600, machineFiles);
    await growing.append(Buffer.from("text"));
    await growing.close();
    expect([readFileSync(at("a"), "utf8"), readFileSync(at("b"), "utf8")]).toEqual(["text", "text"]);
  });
});

test("a lock that does not fit on the disk leaves no file behind", async () => {
  const full = {
    ...machineFiles,
    create: async (path: string, mode: number) => fullHandle(await machineFiles.create(path, mode)),
  };
  await expect(FileLock.of(at("a"), full)).rejects.toThrow("ENOSPC");
  expect(readdirSync(folder)).toEqual([]);
  const lock = await FileLock.of(at("a"), machineFiles);
  expect(lock).toBeInstanceOf(FileLock);
  await (lock as FileLock).release();
});

function fullHandle(handle: FileHandle): FileHandle {
  handle.write = () => Promise.reject(Object.assign(new Error("ENOSPC: no space left"), { code: "ENOSPC" }));
  return handle;
}

describe("a whole file", () => {
  test("is private to its owner if new, and keeps its permissions if replaced", async () => {
    for (const mode of [null, 0o644, 0o400]) {
      if (mode !== null) chmodSync(at("a"), mode);
      await writeWhole(at("a"), `${mode}`);
      expect([modeOf(at("a")), readFileSync(at("a"), "utf8")]).toEqual([mode ?? 0o600, `${mode}`]);
    }
    expect(readdirSync(folder)).toEqual(["a"]);
  });

  test("is written in pieces, each once", async () => {
    const pieces = Array.from({ length: 40 }, (_, index) => `${index}é`.repeat(1_000));
    async function* content() {
      yield* pieces;
    }
    await writeWhole(at("a"), content());
    expect(readFileSync(at("a"), "utf8")).toBe(pieces.join(""));
  });

  test("stays unchanged if its content ends with an error", async () => {
    await writeWhole(at("a"), "old");
    async function* content() {
      yield "x".repeat(100_000);
      throw new Error("interrupted");
    }
    await expect(writeWhole(at("a"), content())).rejects.toThrow("interrupted");
    expect([readdirSync(folder), readFileSync(at("a"), "utf8")]).toEqual([["a"], "old"]);
  });

  test("removes temporary files that a killed process left beside it an hour ago, and no others", async () => {
    const left = `a.${crypto.randomUUID()}.part`;
    const kept = [`a.${crypto.randomUUID()}.part`, "a.part", "a.of-mine.part", `b.${crypto.randomUUID()}.part`];
    const hourAgo = Date.now() / 1_000 - 3_700;
    for (const name of [left, ...kept]) writeFileSync(at(name), "");
    for (const name of [left, ...kept.slice(1)]) utimesSync(at(name), hourAgo, hourAgo);
    await writeWhole(at("a"), "text");
    expect(readdirSync(folder).sort()).toEqual(["a", ...kept].sort());
  });

  test("is refused if its path is a folder, or its folder does not exist", async () => {
    mkdirSync(at("inner"));
    await expect(writeWhole(at("inner"), "x")).rejects.toThrow(`${at("inner")} is a folder; name a file.`);
    await expect(writeWhole(at("none/a"), "x")).rejects.toThrow(`the folder ${at("none")} does not exist.`);
  });
});

describe("a growing file", () => {
  const text = (name: string) => readFileSync(at(name), "utf8");

  test("stays unchanged if the disk has no room for the appended text", async () => {
    const { files } = filesThatAreFull(6, 7);
    const file = await GrowingFile.create(at("a"), 0o600, files);
    await file.append(Buffer.from("first\n"));
    await expect(file.append(Buffer.from("second\n"))).rejects.toThrow("ENOSPC");
    expect([text("a"), file.size]).toEqual(["first\n", 6]);
    await file.append(Buffer.from("third\n"));
    await file.close();
    expect(text("a")).toBe("first\nthird\n");
  });

  test("detects that another process has written to it, replaced it or removed it", async () => {
    const disturbances = [
      () => writeFileSync(at("a"), "more", { flag: "a" }),
      () => {
        rmSync(at("a"));
        writeFileSync(at("a"), "text");
      },
      () => rmSync(at("a")),
    ];
    for (const disturb of disturbances) {
      const file = await GrowingFile.create(at("a"), 0o600, machineFiles);
      await file.append(Buffer.from("text"));
      expect(await file.hasChanged(), "unchanged").toBe(false);
      disturb();
      expect(await file.hasChanged(), String(disturb)).toBe(true);
      await file.close();
    }
  });

  test.each([
    ["one\ntwo\nthr", "one\ntwo\n"],
    ["one\n", "one\n"],
    ["o", ""],
    ["", ""],
    [`one\n${"x".repeat(200_000)}`, "one\n"],
    [`${"x".repeat(65_536)}\n`, `${"x".repeat(65_536)}\n`],
  ])("keeps its complete lines (%#)", async (before, after) => {
    writeFileSync(at("a"), before);
    const file = await GrowingFile.open(at("a"), 0o600, machineFiles);
    await file.cutToLines();
    await file.close();
    expect(text("a") === after, "whole lines").toBe(true);
    expect(modeOf(at("a"))).toBe(0o600);
  });
});

test("is private to its owner if new, and keeps its permissions if it exists", () => {
  appendLine(at("a"), null);
  expect([modeOf(at("a")), readFileSync(at("a"), "utf8")]).toEqual([0o600, ""]);
  chmodSync(at("a"), 0o640);
  for (const line of ["one", "two"]) appendLine(at("a"), line);
  expect([modeOf(at("a")), readFileSync(at("a"), "utf8")]).toEqual([0o640, "one\ntwo\n"]);
  expect(() => appendLine(at("none/a"), null)).toThrow("ENOENT");
  expect(existsSync(at("none"))).toBe(false);
});
