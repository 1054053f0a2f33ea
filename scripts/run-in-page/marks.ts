import { documents, exampleBlocks, programsOf } from "../../test/docs/support/code-blocks.ts";
import { exportedNames } from "../../test/docs/support/entry-points.ts";
import { formattedCode } from "../docs/format.ts";
import { MODULES } from "./modules.ts";
import { importedModules, type Program, preludeFor, programFrom } from "./programs.ts";

/** A program of the site. */
export interface SiteProgram extends Program {
  /** Why it needs Node, such as `imports node:fs`; null if it runs in the page. */
  readonly needs: string | null;
}

const names = await exportedNames();

/** Programs of README.md and the guides, then the examples of docstrings; each text once. */
export const PROGRAMS: readonly SiteProgram[] = [
  ...documents()
    .filter((file) => !file.startsWith("skills/"))
    .flatMap((file) => programsOf(file))
    .map((program, _, all) => ({ ...program, needs: whyNode(program, all) })),
  ...[...new Map(exampleBlocks().map((block) => [block.code, block])).values()].map((block) => {
    const program = programFrom([block], preludeFor(block.code, names));
    return { ...program, needs: whyNode(program, []) };
  }),
];

const marked = PROGRAMS.flatMap(({ name, needs, blocks }) =>
  needs === null ? blocks.map((block) => ({ name, ...block, language: "ts" })) : [],
);
// The API pages show examples formatted for the site.
const marks = new Map(
  formattedCode(marked).map((code, at) => {
    const { name, line } = marked[at] ?? {};
    return [code.trim(), `data-program="${name}" data-line="${line}"`];
  }),
);

/** Adds a Run button below the HTML of a block that runs in the page. */
export function withButton(html: string, code: string): string {
  const mark = marks.get(code.trim());
  return mark === undefined
    ? html
    : `<div ${mark}>${html}<button type="button" class="run" aria-label="Run"></button></div>`;
}

function whyNode({ code, blocks }: Program, all: readonly Program[]): string | null {
  for (const specifier of importedModules(code)) {
    if (specifier.startsWith("./")) {
      const file = all.find((one) => one.file === specifier.slice(2) && one.blocks[0]?.file === blocks[0]?.file);
      const why = file ? whyNode(file, all) : `imports ${specifier}`;
      if (why !== null) return why;
    } else if (!(specifier in MODULES)) return `imports ${specifier}`;
  }
  const [used] = /\bprocess\.(?!env\b)\w+|\bBuffer\b/.exec(code) ?? [];
  return used === undefined ? null : `uses ${used}`;
}
