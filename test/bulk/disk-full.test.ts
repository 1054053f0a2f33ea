import { execFile } from "node:child_process";
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { needs } from "../support/tools.js";
import { testFolder } from "./support/folder.js";

const WORKER = fileURLToPath(new URL("support/full-disk-worker.ts", import.meta.url));
const ALONE = 'mount -t tmpfs -o size=128k tmpfs "$1" && exec "$2" "$3" "$1"';

interface Turn {
  readonly left: number;
  readonly unplanned: string | null;
  readonly stopped: string | null;
  readonly sent: number;
}

test("a full disk ends planning and applying with advice, and loses nothing", {
  ...needs("tmpfs"),
  timeout: 300_000,
}, async () => {
  const folder = testFolder()("disk");
  mkdirSync(folder);
  const { stdout } = await promisify(execFile)("unshare", [
    "-Urm",
    "sh",
    "-c",
    ALONE,
    "sh",
    folder,
    process.execPath,
    WORKER,
  ]);
  const turns = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Turn);
  const path = `${folder}/a.plan`;
  for (const turn of turns) expect(turn).toMatchObject({ created: 100, complete: true, users: 100, emails: 100 });
  const stopped = turns.flatMap(({ stopped }) => stopped ?? []);
  const unplanned = turns.flatMap(({ unplanned }) => unplanned ?? []);
  expect(new Set(stopped)).toEqual(
    new Set([`${path}: the disk is full. Nothing is lost: make room, then apply the plan again.`]),
  );
  expect(new Set(unplanned)).toEqual(
    new Set([`${path}: the disk is full. No plan was made: make room, then plan again.`]),
  );
  // In each turn, the disk lacks room for something else: the lock, the first lines or the last lines.
  expect(turns[0]).toMatchObject({ sent: 0 });
  const midway = turns.filter(({ stopped, sent }) => stopped !== null && sent > 0 && sent < 100);
  expect(midway.length, JSON.stringify(turns)).toBeGreaterThan(0);
  expect(turns.at(-1)).toMatchObject({ stopped: null });
});
