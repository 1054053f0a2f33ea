import type { FileHandle } from "node:fs/promises";
import { type Files, machineFiles } from "../../../src/work/place/node-files.js";

/** A disk with a fault at a given step. */
export interface FailingFiles {
  readonly files: Files;
  /** The number of steps so far. */
  readonly steps: number;
  /** True once the fault has occurred. */
  readonly failed: boolean;
}

/**
 * A disk that stops at a step, as if the process were killed there: only part of that step's write reaches the disk,
 * and later steps do nothing. @param share the part of that last write that reaches the disk.
 * @param share the share of that last write that reaches the disk.
 */
export function filesThatStopAt(step: number, share: number): FailingFiles {
  return failing(
    () => (counter) => counter >= step,
    share,
    () => new Error("the machine is off"),
  );
}

/** A disk that is full for a while: between the two steps, each write fails after half of its bytes. */
export function filesThatAreFull(from: number, to: number): FailingFiles {
  const full = () => Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
  return failing((kind) => (counter) => kind === "write" && counter >= from && counter < to, 0.5, full);
}

type Kind = "write" | "other";

function failing(
  when: (kind: Kind) => (counter: number) => boolean,
  share: number,
  problem: () => Error,
): FailingFiles {
  const state = { steps: 0, failed: false };
  const step = (kind: Kind): boolean => {
    const fails = when(kind)(++state.steps);
    if (fails) state.failed = true;
    return fails;
  };
  const withFailure =
    <Args extends unknown[], Result>(work: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      if (step("other")) throw problem();
      return work(...args);
    };
  let stopped = false;
  const files: Files = {
    open: withFailure(async (path) => guard(await machineFiles.open(path))),
    // Counts as one step, because the next process waits for seconds if a process is killed while it fills its lock.
    create: withFailure(async (path, mode) => {
      const handle = await machineFiles.create(path, mode);
      return path.endsWith(".lock") ? handle : guard(handle);
    }),
    flush: withFailure(machineFiles.flush),
    read: withFailure(machineFiles.read),
    modified: withFailure(machineFiles.modified),
    touch: withFailure(machineFiles.touch),
    siblings: withFailure(machineFiles.siblings),
    rename: withFailure(machineFiles.rename),
    remove: withFailure(machineFiles.remove),
    syncFolderOf: withFailure(machineFiles.syncFolderOf),
  };
  function guard(handle: FileHandle): FileHandle {
    return new Proxy(handle, { get: (target, name) => guardedHandle(target, name as keyof FileHandle) });
  }
  function guardedHandle(handle: FileHandle, name: keyof FileHandle): unknown {
    const value = handle[name] as unknown;
    if (typeof value !== "function" || name === "close") return bindTo(handle, value);
    return async (...args: unknown[]) => {
      const method = value as (...args: unknown[]) => unknown;
      if (!step(name === "write" ? "write" : "other")) return method.apply(handle, args);
      const [bytes, offset, length, position] = args as [Uint8Array, number, number, number];
      const half = name === "write" ? Math.floor(length * share) : 0;
      if (half > 0 && !stopped) await handle.write(bytes, offset, half, position);
      stopped = true;
      throw problem();
    };
  }
  return {
    files,
    get steps() {
      return state.steps;
    },
    get failed() {
      return state.failed;
    },
  };
}

function bindTo(target: object, value: unknown): unknown {
  return typeof value === "function" ? value.bind(target) : value;
}
