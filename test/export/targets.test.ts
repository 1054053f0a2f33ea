import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { exportTo } from "../../src/export/node.js";
import { obstacleOf } from "../../src/work/place/node-target.js";
import { mainClient } from "../support/clients.js";
import { scriptedList } from "../support/lists.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "export-target-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

const list = scriptedList(25);
const contacts = () =>
  mainClient({ apiKey: "key-of-exports", fetch: list.fetch, rateLimit: false }).organization.contacts.list({
    per_page: 10,
  });
const options = { format: "ndjson" } as const;

const linesOf = (path: string) => readFileSync(path, "utf8").trimEnd().split("\n").length;
const modeOf = (path: string) => statSync(path).mode & 0o777;

async function exportMessage(path: string): Promise<string> {
  const asked = list.pages.length;
  const error = await exportTo(path, contacts(), options).catch((problem: unknown) => problem);
  expect(error).toMatchObject({ code: "input", operation: "organization.contacts.list" });
  expect(list.pages).toHaveLength(asked);
  return (error as Error).message;
}

describe("a path to something other than a regular file is refused before anything is sent", () => {
  test("a named pipe, which remains one", async () => {
    const pipe = join(folder, "pipe");
    execFileSync("mkfifo", [pipe]);
    expect(await exportMessage(pipe)).toContain("target is a named pipe; pass a stream");
    expect(lstatSync(pipe).isFIFO(), "still a named pipe").toBe(true);
    symlinkSync(pipe, join(folder, "link"));
    expect(await exportMessage(join(folder, "link"))).toContain("is a named pipe");
    expect(readdirSync(folder).sort()).toEqual(["link", "pipe"]);
  });

  test("a folder, even behind a link, and a missing folder", async () => {
    mkdirSync(join(folder, "inner"));
    symlinkSync("inner", join(folder, "link"));
    expect(await exportMessage(join(folder, "link"))).toContain("target is a folder; name a file");
    expect(await exportMessage(join(folder, "no/x"))).toContain(`the folder ${join(folder, "no")} does not exist`);
    writeFileSync(join(folder, "file"), "");
    expect(await exportMessage(join(folder, "file/x"))).toContain(`the folder ${join(folder, "file")} does not exist`);
  });

  test("links in a circle, as the file or its folder", async () => {
    symlinkSync("circle", join(folder, "circle"));
    expect(await exportMessage(join(folder, "circle"))).toContain("its symbolic links form a loop; name a file");
    expect(await exportMessage(join(folder, "circle/x"))).toContain("its symbolic links form a loop; name a file");
  });

  test.each([".part", ".state", ".state.new", ".lock"])(
    "a path at which the %s name is not a regular file",
    async (suffix) => {
      writeFileSync(join(folder, "other"), "mine");
      symlinkSync("other", join(folder, `x${suffix}`));
      expect(await exportMessage(join(folder, "x"))).toContain(`x${suffix} is not a regular file; move it away`);
      expect(readFileSync(join(folder, "other"), "utf8")).toBe("mine");
    },
  );

  test("devices and sockets, and a stream of the process, are named correctly", () => {
    const kinds = ["isFile", "isDirectory", "isFIFO", "isCharacterDevice", "isBlockDevice", "isSocket"] as const;
    type Kind = (typeof kinds)[number];
    const stats = (kind: Kind) =>
      Object.fromEntries(kinds.map((name) => [name, () => name === kind])) as Record<Kind, () => boolean>;
    expect(obstacleOf("/data/x", stats("isCharacterDevice"))).toMatchObject({ what: "is a device", stream: true });
    expect(obstacleOf("/data/x", stats("isBlockDevice"))).toMatchObject({ what: "is a device", stream: true });
    expect(obstacleOf("/data/x", stats("isSocket"))).toMatchObject({ what: "is a socket", stream: true });
    expect(obstacleOf("/data/x", stats("isDirectory"))).toMatchObject({ what: "is a folder", stream: false });
    expect(obstacleOf("/data/x", stats("isFile"))).toBeNull();
    expect(obstacleOf("/data/x", null)).toBeNull();
    for (const name of ["/dev/stdout", "/dev/stderr", "/dev/fd/1", "/proc/self/fd/1"]) {
      expect(obstacleOf(name, stats("isFile")), name).toMatchObject({ stream: true });
    }
    expect(obstacleOf("/dev/shm/x", null)).toBeNull();
  });
});

describe("a symbolic link", () => {
  test("remains, and the file it leads to is replaced; part and state are beside that file", async () => {
    const away = join(folder, "away");
    mkdirSync(away);
    writeFileSync(join(away, "real"), "old");
    const link = join(folder, "link");
    symlinkSync("away/real", link);
    const seen = new Set<string>();
    await exportTo(link, contacts(), {
      ...options,
      onProgress: () => {
        for (const name of readdirSync(away)) seen.add(name);
      },
    });
    expect(readlinkSync(link)).toBe("away/real");
    expect(linesOf(join(away, "real"))).toBe(25);
    expect([...seen].sort()).toEqual(["real", "real.lock", "real.part", "real.state"]);
    expect(readdirSync(folder).sort()).toEqual(["away", "link"]);
  });

  test("creates its target if it is missing", async () => {
    symlinkSync("new", join(folder, "second"));
    symlinkSync("second", join(folder, "first"));
    await exportTo(join(folder, "first"), contacts(), options);
    expect(linesOf(join(folder, "new"))).toBe(25);
    expect(readlinkSync(join(folder, "first"))).toBe("second");
  });
});

describe.skipIf(process.platform === "win32")("permissions", () => {
  test.each(["600", "640", "666", "400"])(
    "%s are kept when the file is replaced, and part and state have no more",
    async (octal) => {
      const mode = Number.parseInt(octal, 8);
      const path = join(folder, "list");
      writeFileSync(path, "old");
      chmodSync(path, mode);
      const open = new Set<number>();
      await exportTo(path, contacts(), {
        ...options,
        onProgress: () => {
          for (const suffix of [".part", ".state"]) open.add(modeOf(path + suffix));
        },
      });
      expect(modeOf(path)).toBe(mode);
      // The owner can always write to the part, so that a later run can continue it.
      expect([...open]).toEqual([mode | 0o600]);
    },
  );

  test("of an existing part are reduced to those of the file", async () => {
    const path = join(folder, "list");
    for (const name of [path, `${path}.part`, `${path}.state.new`]) writeFileSync(name, "old");
    chmodSync(path, 0o600);
    chmodSync(`${path}.part`, 0o644);
    chmodSync(`${path}.state.new`, 0o644);
    let during: number[] = [];
    await exportTo(path, contacts(), {
      ...options,
      onProgress: () => {
        during = [modeOf(`${path}.part`), modeOf(`${path}.state`)];
      },
    });
    expect([...during, modeOf(path)]).toEqual([0o600, 0o600, 0o600]);
  });

  test.skipIf(process.getuid?.() !== 0)("are a reason to replace a part that belongs to another user", async () => {
    const path = join(folder, "list");
    const stop = () => {
      throw new Error("stop");
    };
    const columns = { id: ({ id }: { id: number }) => (id > 10 ? stop() : id) };
    await expect(exportTo(path, contacts(), { ...options, columns })).rejects.toThrow("columns.id threw");
    for (const isOthers of [false, true]) {
      if (isOthers) chownSync(`${path}.part`, 12_345, 12_345);
      const before = statSync(`${path}.part`);
      await exportTo(path, contacts(), { ...options, columns, resume: true }).catch(() => null);
      const after = statSync(`${path}.part`);
      expect([after.ino === before.ino, after.uid, modeOf(`${path}.part`)]).toEqual([!isOthers, 0, 0o600]);
    }
  });

  test("of a new file allow only its owner to read it", async () => {
    const path = join(folder, "list");
    await exportTo(path, contacts(), options);
    expect(modeOf(path)).toBe(0o600);
  });
});
