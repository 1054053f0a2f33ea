// Runs each command of the table in a folder whose disk it fills: node full-disk-writers.ts <folder> <command line…>.
// Prints the result of each turn.
import { spawnSync } from "node:child_process";
import {
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { inputs, isWhole, WRITERS } from "../writers.ts";

const PAGE = 4096;
const [folder = "", ...cli] = process.argv.slice(2);
const run = (args: readonly string[]) => {
  const [program = "", ...first] = cli;
  return spawnSync(program, [...first, ...args], { encoding: "utf8" });
};

/** Fills the disk until only `left` bytes are free. */
function fill(left: number): void {
  const file = openSync(join(folder, "filler"), "w");
  let size = 0;
  try {
    for (;;) size += writeSync(file, Buffer.alloc(PAGE));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
  }
  ftruncateSync(file, Math.max(0, size - left));
  closeSync(file);
}

const { at, kept } = inputs(folder);
run(kept);
for (const writer of WRITERS) {
  for (const left of [0, PAGE]) {
    const place = join(folder, "place");
    const path = join(place, "x");
    mkdirSync(place);
    run(writer.args(path, at));
    const whole = readFileSync(path, "utf8");
    rmSync(place, { recursive: true });
    mkdirSync(place);
    if (typeof writer.before === "string") writeFileSync(path, writer.before);
    else run(writer.before(path, at));
    const before = readFileSync(path, "utf8");
    fill(left);
    const { status, stdout, stderr } = run(writer.args(path, at));
    rmSync(join(folder, "filler"));
    const text = readFileSync(path, "utf8");
    const state = text === before ? "as it was" : isWhole(writer, text, whole) ? "whole" : "broken";
    const files = readdirSync(place).filter((name) => name !== "x");
    console.log(JSON.stringify({ name: writer.name, left, status, state, files, told: `${stdout}${stderr}` }));
    rmSync(place, { recursive: true });
  }
}
