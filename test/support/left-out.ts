import { relative } from "node:path";
import type { Reporter, TestModule } from "vitest/node";
import { draw } from "./draw.ts";
import { missingReason, type Tool } from "./tools.ts";

const FOR_THE_FULL_RUN: readonly Tool[] = ["chromium", "gnumeric", "libreoffice", "postgres", "python", "redis"];

/**
 * Prints at the end of a run which tests were skipped for lack of a tool, what `npm test` never runs, and how to run
 * both.
 */
// biome-ignore lint/style/noDefaultExport: Vitest loads a reporter by its default export.
export default class LeftOut implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const lines = leftOut(modules);
    if (process.env.npm_lifecycle_event === "test") {
      const needed = FOR_THE_FULL_RUN.map(missingReason).filter((reason) => reason !== null);
      const and = needed.length > 0 ? `, once these are installed: ${needed.join("; ")}` : "";
      lines.push(`  kills, campaigns, consumers of the package, browsers: npm run test:full${and}`);
    }
    lines.push(
      "  cases that other commits draw: DRAW=all tries every one",
      `Draw: ${draw()}; DRAW=${draw()} draws the same cases again`,
    );
    console.log(["Left out:", ...lines].join("\n"));
  }
}

function leftOut(modules: readonly TestModule[]): string[] {
  const found = new Map<Tool, Map<string, number>>();
  for (const module of modules) {
    for (const test of module.children.allTests("skipped")) {
      for (const tool of test.meta().missingTools ?? []) {
        const files = found.get(tool) ?? new Map<string, number>();
        const file = relative(process.cwd(), module.moduleId);
        found.set(tool, files.set(file, (files.get(file) ?? 0) + 1));
      }
    }
  }
  return [...found].sort().map(([tool, files]) => {
    const count = [...files.values()].reduce((sum, more) => sum + more, 0);
    return `  ${count} ${count === 1 ? "test" : "tests"} of ${[...files.keys()].join(", ")}: ${missingReason(tool)}`;
  });
}
