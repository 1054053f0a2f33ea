import { readFileSync } from "node:fs";
import { EducationAdminError } from "../core/errors.js";
import { diskProblem } from "../work/place/problem.js";
import { UsageError } from "./terminal.js";

const FILE_PROBLEMS: Readonly<Record<string, string>> = {
  ENOENT: "does not exist",
  ENOTDIR: "does not exist",
  EISDIR: "is a folder",
  EACCES: "cannot be used (permission denied)",
  EPERM: "cannot be used (permission denied)",
};

/** Why a file could not be used, phrased to follow the file's name, such as `does not exist`. */
export function fileProblem(error: unknown): string {
  const code = codeOf(error);
  return (
    FILE_PROBLEMS[code ?? ""] ?? `cannot be used (${code ?? (error instanceof Error ? error.message : String(error))})`
  );
}

export function textIn(file: string, option: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new UsageError(`${option}: ${file} ${fileProblem(error)}`);
  }
}

export function jsonIn(file: string, option: string): unknown {
  const text = textIn(file, option);
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`${option}: ${file} is not JSON`);
  }
}

/** Rethrows an error of the service as a UsageError: exit status 1 would mean that something differs. */
export function asUsage(error: unknown): never {
  throw error instanceof EducationAdminError ? new UsageError(error.message, { cause: error }) : error;
}

/** Why the command could not listen on an address, and what to do; null for other errors. */
export function listenProblem(error: unknown, host: string, port: number): string | null {
  const where = `port ${port} of ${host}`;
  switch (codeOf(error)) {
    case "EADDRINUSE":
      return `Another program is listening on ${where}. Stop it, or use another port: --port 0 picks any free port.`;
    case "EACCES":
      return `You are not allowed to listen on ${where}. Use port 1024 or higher: --port 4010`;
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `--host: ${host} is not an address of this machine`;
    default:
      return null;
  }
}

/**
 * The message with which the program ends when its output fails.
 * @returns null if the reader closed the output, as `head` does.
 */
export function outputProblem(error: unknown): string | null {
  if (codeOf(error) === "EPIPE") return null;
  const text = error instanceof Error ? error.message : String(error);
  return `The output could not be written: ${diskProblem(error)?.what ?? text}\n`;
}

function codeOf(error: unknown): string | undefined {
  const code = (error as { readonly code?: unknown } | null)?.code;
  return typeof code === "string" ? code : undefined;
}
