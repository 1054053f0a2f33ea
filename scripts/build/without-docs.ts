import type { Options } from "tsup";
import ts from "typescript";

type Plugin = NonNullable<Options["plugins"]>[number];

/**
 * Removes docstrings from the JavaScript, where esbuild would keep those inside expressions. Editors show the
 * docstrings of the declarations. See docs/decisions/node-build.md.
 */
export const withoutDocs: Plugin = {
  name: "without-docs",
  renderChunk: (code) => ({ code: codeWithoutDocs(code) }),
};

/** Removes the docstrings that occupy whole lines. */
export function codeWithoutDocs(code: string): string {
  const file = ts.createSourceFile("module.js", code, ts.ScriptTarget.Latest, false, ts.ScriptKind.JS);
  const ends = new Map<number, number>();
  // Uses the syntax tree, because strings may contain text that looks like a comment.
  const visit = (node: ts.Node): void => {
    for (const { pos, end } of ts.getLeadingCommentRanges(code, node.pos) ?? []) {
      const line = code.lastIndexOf("\n", pos - 1) + 1;
      if (code.startsWith("/**", pos) && code.slice(line, pos).trim() === "" && code[end] === "\n")
        ends.set(line, end + 1);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  let kept = "";
  let at = 0;
  for (const [line, next] of [...ends].sort(([a], [b]) => a - b)) {
    kept += code.slice(at, line);
    at = next;
  }
  return kept + code.slice(at);
}
