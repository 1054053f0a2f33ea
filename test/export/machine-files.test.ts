import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { machineFiles } from "../../src/work/place/node-files.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "files-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

describe("the disk of this machine", () => {
  test("creates a file once, and says if it existed", async () => {
    const path = join(folder, "lock");
    expect(await machineFiles.create(path, "one")).toBe(true);
    expect(await machineFiles.create(path, "two")).toBe(false);
    expect(readFileSync(path, "utf8")).toBe("one");
    await expect(machineFiles.create(join(folder, "none", "lock"), "one")).rejects.toThrow("ENOENT");
  });

  test("leaves no file behind after a failed write", async () => {
    const path = join(folder, "lock");
    await expect(machineFiles.create(path, 7 as never)).rejects.toThrow("must be of type string");
    expect(existsSync(path), "the file exists").toBe(false);
  });

  test("lists what is next to a file under names that begin with its own, and nothing else", async () => {
    for (const name of ["a.csv", "a.csv.part", "a.csv.state", "a.csvx", "b.csv.part"])
      writeFileSync(join(folder, name), "");
    const found = await machineFiles.siblings(join(folder, "a.csv"));
    expect(found.sort()).toEqual([join(folder, "a.csv.part"), join(folder, "a.csv.state")]);
  });

  test("opens the folder to sync its names to the disk, but not on Windows", async () => {
    await machineFiles.syncFolderOf(join(folder, "a.csv"));
    const missing = join(folder, "none", "a.csv");
    await expect(machineFiles.syncFolderOf(missing)).rejects.toThrow("ENOENT");
    const platform = vi.spyOn(process, "platform", "get").mockReturnValue("win32");
    await machineFiles.syncFolderOf(missing);
    platform.mockRestore();
  });
});
