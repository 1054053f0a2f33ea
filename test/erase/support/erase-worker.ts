// Erases a user in a process that kills itself at one of its writes: node erase-worker.ts <folder> <user> <write>
import files from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { DatabaseSync } from "node:sqlite";

const [folder = "", user = "", end = "0"] = process.argv.slice(2);
let writes = 0;

// Dies before odd writes and after even ones.
function countWrites<Args extends unknown[], Result>(write: (...args: Args) => Result): (...args: Args) => Result {
  return function (this: unknown, ...args: Args) {
    const turn = Math.ceil(Number(end) / 2);
    writes++;
    if (writes === turn && Number(end) % 2 === 1) process.kill(process.pid, "SIGKILL");
    const result = write.apply(this, args);
    const die = () => {
      if (writes === turn) process.kill(process.pid, "SIGKILL");
    };
    if (result instanceof Promise) return result.finally(die) as Result;
    die();
    return result;
  };
}

Object.assign(files, { rename: countWrites(files.rename), rm: countWrites(files.rm) });
syncBuiltinESMExports();
DatabaseSync.prototype.exec = countWrites(DatabaseSync.prototype.exec);

const { erase } = await import("education-admin-sdk/erase");
const report = await erase({ user: Number(user) }, { in: folder, write: true });
process.stdout.write(JSON.stringify({ writes, report }));
