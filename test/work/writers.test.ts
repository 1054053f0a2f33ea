import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
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
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { once } from "../../src/bulk/node.js";
import { runCli } from "../../src/cli/main.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { listen } from "../../src/sandbox/node.js";
import { appendLine } from "../../src/work/place/node-whole.js";
import { inputs, isWhole, WRITERS, type Writer } from "./writers.js";

const sandbox = createSandbox({ size: "small", rateLimit: false });
let env: Record<string, string>;
let at: (name: string) => string;
const isRoot = process.getuid?.() === 0;

beforeAll(async () => {
  const server = await listen(sandbox);
  env = { EDUCATION_ADMIN_BASE_URL: server.url, EDUCATION_ADMIN_API_KEY: sandbox.apiKey };
  const folder = mkdtempSync(join(tmpdir(), "writers-"));
  const made = inputs(folder);
  at = made.at;
  await run(made.kept);
  return async () => {
    await server.close();
    rmSync(folder, { recursive: true });
  };
});

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "writer-"));
  path = join(folder, "x");
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

async function run(args: readonly string[]): Promise<{ status: number; told: string }> {
  let told = "";
  const output = { write: (text: string) => (told += text) };
  return { status: await runCli(args, { env, stdout: { write: () => undefined }, stderr: output }), told };
}

/** Runs the command with another path. @returns the text of its file. */
async function writeUndisturbed({ args }: Writer): Promise<string> {
  const other = join(folder, "inner");
  mkdirSync(other);
  await run(args(join(other, "x"), at));
  const text = readFileSync(join(other, "x"), "utf8");
  rmSync(other, { recursive: true });
  return text;
}

async function writeBefore({ before }: Writer): Promise<string> {
  if (typeof before === "string") writeFileSync(path, before);
  else await run(before(path, at));
  return readFileSync(path, "utf8");
}

/** Things that a file must not replace, each with a function that creates it and its name in messages. */
const OBSTACLES: readonly (readonly [what: string, make: () => boolean])[] = [
  ["is a folder", () => mkdirSync(path) === undefined],
  ["is a named pipe", () => execFileSync("mkfifo", [path]).length === 0],
  ["is a device", () => spawnSync("mknod", [path, "c", "1", "3"]).status === 0],
];

describe.each(WRITERS.map((writer) => [writer.name, writer] as const))("%s", (_, writer) => {
  test.each(OBSTACLES)("replaces nothing that %s, and reports it", async (what, make) => {
    if (!make()) return console.warn(`Not tested: ${writer.name} where the path ${what} (only root can make one)`);
    const { ino, mode } = lstatSync(path);
    const link = join(folder, "link");
    symlinkSync("x", link);
    for (const name of [path, link]) {
      const { status, told } = await run(writer.args(name, at));
      expect([status, told]).toEqual([2, expect.stringContaining(what)]);
    }
    expect(lstatSync(path)).toMatchObject({ ino, mode });
    expect(readdirSync(folder).sort()).toEqual(["link", "x"]);
  });

  test("writes personal data to a file that only its owner can read", async () => {
    await run(writer.args(path, at));
    expect(statSync(path).mode & 0o777).toBe(writer.mode ?? 0o600);
    const others = readdirSync(folder).filter((name) => !/\.(plan|memory)$/.test(name));
    expect(others).toEqual(["x"]);
  });

  test("replaces the target of a symbolic link, or refuses it", async () => {
    const before = await writeBefore(writer);
    const whole = await writeUndisturbed(writer);
    symlinkSync("x", join(folder, "link"));
    const { status } = await run(writer.args(join(folder, "link"), at));
    expect(readlinkSync(join(folder, "link"))).toBe("x");
    const text = readFileSync(path, "utf8");
    expect(status === 2 ? text === before : isWhole(writer, text, whole), `status ${status}`).toBe(true);
  });

  test("replaces a file of another program or user completely, or refuses it", async () => {
    const whole = await writeUndisturbed(writer);
    writeFileSync(path, "of another\n");
    chmodSync(path, 0o640);
    if (isRoot) chownSync(path, 12_345, 12_345);
    const { status } = await run(writer.args(path, at));
    const text = readFileSync(path, "utf8");
    expect(status === 2 ? text === "of another\n" : isWhole(writer, text, whole), `status ${status}`).toBe(true);
    expect(statSync(path).mode & 0o777).toBe(0o640);
  });
});

describe("other writers", () => {
  test.each(OBSTACLES)("of mirror and once replace and remove nothing that %s", async (what, make) => {
    if (!make()) return console.warn(`Not tested: mirror and once where the path ${what} (only root can make one)`);
    const { ino, mode } = lstatSync(path);
    const { status, told } = await run(["mirror", "--to", path, "--resources", "accounts", "--once"]);
    expect([status, told]).toEqual([2, expect.stringContaining(`${what}; name a file`)]);
    const marked = once(path, { find: async () => ({}), make: async () => undefined });
    await expect(marked).rejects.toMatchObject({ code: "input", message: expect.stringContaining(what) });
    expect(lstatSync(path)).toMatchObject({ ino, mode });
    expect(readdirSync(folder)).toEqual(["x"]);
  });

  test("of mirror create a database that only its owner can read, even behind a link", async () => {
    symlinkSync("x", join(folder, "link"));
    await run(["mirror", "--to", join(folder, "link"), "--resources", "accounts", "--once"]);
    expect(readFileSync(path, "latin1").slice(0, 13)).toBe("SQLite format");
    expect([readlinkSync(join(folder, "link")), statSync(path).mode & 0o777]).toEqual(["x", 0o600]);
  });

  test("of an audit append to a device, and do not wait for the reader of a pipe", () => {
    execFileSync("mkfifo", [path]);
    expect(() => appendLine(path, "line")).toThrow("ENXIO");
    expect(lstatSync(path).isFIFO(), "still a named pipe").toBe(true);
    appendLine("/dev/null", "line");
    expect(existsSync("/dev/null") && lstatSync("/dev/null").isCharacterDevice(), "still a device").toBe(true);
  });
});
