import { readFileSync } from "node:fs";

/** One line of tasks.txt, with its expected output. */
export interface Task {
  readonly line: string;
  readonly status: number;
  readonly columns: string | null;
  readonly out: readonly string[];
  readonly err: readonly string[];
  readonly never: readonly string[];
  readonly green: readonly string[];
  /** The text that a user types at the question; null if the command asks none. */
  readonly type: string | null;
}

/** The tasks of tasks.txt. */
export function readTasks(): Task[] {
  const [, ...blocks] = readFileSync(new URL("tasks.txt", import.meta.url), "utf8").split(/^\$ /m);
  return blocks.map((block) => {
    const [line = "", status, ...facts] = block.trim().split("\n");
    const of = (kind: string) =>
      facts.flatMap((fact) => (fact.startsWith(`${kind} `) ? [fact.slice(kind.length + 1).trim()] : []));
    const [columns = null] = of("columns");
    const [type = null] = of("type");
    const texts = { out: of("out"), err: of("err"), never: of("never"), green: of("green") };
    return { line, status: Number(status), columns, type, ...texts };
  });
}
