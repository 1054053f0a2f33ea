import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import ts from "typescript";

/**
 * Draws declarations at random: functions, members of classes and other statements, each as a range of lines for
 * Stryker. A seed always draws the same declarations, even if others in their file have changed.
 * @param patterns Stryker's `mutate`: globs, of which those starting with `!` exclude files.
 * @param share fraction to draw, from 0 to 1.
 */
export function sampleOf(patterns: readonly string[], share: number, seed: string): string[] {
  const exclude = patterns.filter((pattern) => pattern.startsWith("!")).map((pattern) => pattern.slice(1));
  const files = globSync(
    patterns.filter((pattern) => !pattern.startsWith("!")),
    { exclude },
  ).sort();
  return files.flatMap((file) => {
    const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
    return source.statements
      .flatMap((statement): ts.Node[] => (ts.isClassDeclaration(statement) ? [...statement.members] : [statement]))
      .filter((node) => numberOf(`${seed} ${file} ${node.getText().split("\n", 1)[0]}`) < share)
      .map((node) => `${file}:${lineOf(source, node.getStart())}-${lineOf(source, node.getEnd())}`);
  });
}

function lineOf(source: ts.SourceFile, position: number): number {
  return source.getLineAndCharacterOfPosition(position).line + 1;
}

/** Returns a number from 0 to 1 that depends only on the text. */
export function numberOf(text: string): number {
  return createHash("sha256").update(text).digest().readUInt32BE() / 2 ** 32;
}
