import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { ExportStream } from "./stream.js";

export function pathOf(target: string | URL | ExportStream): string | null {
  if (typeof target === "string") return resolve(target);
  return target instanceof URL ? fileURLToPath(target) : null;
}

/** Explains why a target cannot be written; null if its type is right. */
export function targetProblem(target: unknown): string | null {
  if (target instanceof URL) {
    try {
      return pathProblemOf(fileURLToPath(target));
    } catch {
      return "must be a file on this machine: a URL that begins with file://";
    }
  }
  if (typeof target === "string") return pathProblemOf(target);
  const { write, on, off } = (target ?? {}) as Partial<ExportStream>;
  if ([write, on, off].every((method) => typeof method === "function")) return null;
  return target instanceof WritableStream
    ? "is a web stream; pass a Node stream, such as Writable.fromWeb(stream)"
    : "must be a file or a Node stream";
}

function pathProblemOf(path: string): string | null {
  if (path === "") return "must be a file or a stream";
  return path.includes("\0") ? "must be a path without NUL characters" : null;
}
