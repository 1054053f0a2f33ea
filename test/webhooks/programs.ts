import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

/** A program that runs in a process of its own, with the built package. */
export interface Program {
  readonly process: ChildProcess;
  /** Everything it printed so far. */
  output(): string;
  /** Resolves with the first match in what it prints; rejects when it ends before. */
  printed(pattern: RegExp): Promise<string>;
  /** Ends it and resolves to its exit code, or null after a signal. */
  end(signal?: NodeJS.Signals): Promise<number | null>;
  /** Resolves to its exit code once it ends by itself. */
  readonly ended: Promise<number | null>;
}

/** Starts a program of the examples. */
export function startProgram(file: URL | string, env: Record<string, string> = {}): Program {
  const path = typeof file === "string" ? file : fileURLToPath(file);
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", path], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const listeners = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      output += chunk;
      for (const listener of listeners) listener();
    });
  }
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  return {
    process: child,
    output: () => output,
    ended,
    printed(pattern) {
      return new Promise((resolve, reject) => {
        const look = () => {
          const [match] = pattern.exec(output) ?? [];
          if (match === undefined) return;
          listeners.delete(look);
          resolve(match);
        };
        listeners.add(look);
        void ended.then(() => reject(new Error(`The program ended without printing ${pattern}:\n${output}`)));
        look();
      });
    },
    end(signal = "SIGTERM") {
      child.kill(signal);
      return ended;
    },
  };
}
