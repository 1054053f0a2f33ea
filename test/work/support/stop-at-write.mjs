// Ends the process with SIGKILL at the step STOP_AT of its work on files in the folder STOP_IN, in the middle of a
// write: node --import stop-at-write.mjs <program>
import fs from "node:fs";
import promises from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";

const { STOP_AT, STOP_IN } = process.env;
let steps = 0;
const isStop = () => ++steps === Number(STOP_AT);
const kill = () => process.kill(process.pid, "SIGKILL");
// A lock that a killed process left empty would keep the next process out for seconds.
const isThere = (path) => String(path).startsWith(String(STOP_IN)) && !String(path).endsWith(".lock");

const { open, rename, rm } = promises;
const { fsync } = fs;
promises.open = async (path, flags, mode) => {
  const handle = await open(path, flags, mode);
  if (!isThere(path)) return handle;
  if (isStop()) kill();
  const write = handle.write.bind(handle);
  handle.write = async (bytes, offset, length, position) => {
    if (!isStop()) return write(bytes, offset, length, position);
    await write(bytes, offset, Math.floor(length / 2), position);
    return kill();
  };
  return handle;
};
promises.rename = async (from, to) => {
  if (isThere(to) && isStop()) kill();
  return rename(from, to);
};
promises.rm = async (path, options) => {
  if (isThere(path) && isStop()) kill();
  return rm(path, options);
};
fs.fsync = (descriptor, done) => (isStop() ? kill() : fsync(descriptor, done));
syncBuiltinESMExports();
