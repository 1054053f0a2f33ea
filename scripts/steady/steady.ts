// Runs `npm test` several times with different draws, first on an idle machine, then while busy loops occupy all
// processors, and reports whether each run passed: a test that depends on the machine's speed fails here.
//   npm run test:steady                                     3 idle runs, 3 with a busy loop for each core
//   npm run test:steady -- --load busy                      only those with busy loops; --load quiet runs the others
//   npm run test:steady -- --rounds 1 --only test/core      one run of each kind, with some of the tests
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "3" }, only: { type: "string" }, load: { type: "string" } },
});
const root = fileURLToPath(new URL("../../", import.meta.url));
const rounds = Number(values.rounds);
const cores = availableParallelism();

const loads = [
  { name: "quiet", load: "quiet", loops: 0 },
  { name: "busy", load: `${cores} busy loops`, loops: cores },
].filter(({ name }) => values.load === undefined || values.load === name);
if (loads.length === 0) throw new Error("--load is quiet or busy");

let failed = 0;
for (const { load, loops } of loads) {
  for (let round = 1; round <= rounds; round++) {
    const busy = Array.from({ length: loops }, busyLoop);
    const started = performance.now();
    const { passed, output } = runTests(String(round));
    for (const loop of busy) loop.kill("SIGKILL");
    const seconds = Math.round((performance.now() - started) / 1_000);
    console.log(`${load}, ${round} of ${rounds}: ${passed ? "passed" : "FAILED"} in ${seconds} s`);
    if (passed) continue;
    failed++;
    console.log(output.split("\n").slice(-80).join("\n"));
  }
}
const runs = loads.length * rounds;
console.log(`${runs - failed} of ${runs} runs passed`);
process.exitCode = failed === 0 ? 0 : 1;

function runTests(draw: string): { passed: boolean; output: string } {
  const args = ["test", "--", ...(values.only ? values.only.split(",") : [])];
  const { status, stdout, stderr } = spawnSync("npm", args, {
    cwd: root,
    env: { ...process.env, DRAW: draw },
    encoding: "utf8",
    maxBuffer: 2 ** 28,
  });
  return { passed: status === 0, output: `${stdout}\n${stderr}` };
}

function busyLoop(): ChildProcess {
  return spawn(process.execPath, ["-e", "for (;;);"], { stdio: "ignore" });
}
