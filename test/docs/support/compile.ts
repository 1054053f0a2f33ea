import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { type Program, root } from "./code-blocks.ts";
import { entryPoints } from "./entry-points.ts";

/** A program that was written to a file. */
export interface WrittenProgram extends Program {
  readonly path: string;
}

// Below the project, so that imports find its dependencies; not in git.
const FOLDER = join(root, ".artefacts/code-blocks");

/** Writes programs to files that can be compiled and run. */
export function write(programs: readonly Program[]): WrittenProgram[] {
  return programs.map((program) => {
    const [document = "", line] = program.name.replace(/\.(md|ts):/, ":").split(":");
    // A folder for each document, so that the files it names can import each other.
    const folder = join(FOLDER, document.replaceAll("/", "-"));
    mkdirSync(folder, { recursive: true });
    const path = join(folder, program.file ?? `line-${line}.ts`);
    writeFileSync(path, program.code);
    return { ...program, path };
  });
}

/**
 * Compiles programs together, as strictly as the project itself and against its sources.
 * @returns for every program what is wrong with it, naming document and line.
 */
export function compile(programs: readonly WrittenProgram[]): Map<string, string[]> {
  const { config } = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile) as {
    config: { compilerOptions: object };
  };
  const paths = Object.fromEntries(Object.entries(entryPoints).map(([specifier, file]) => [specifier, [`./${file}`]]));
  const { options, errors } = ts.parseJsonConfigFileContent(
    { compilerOptions: { ...config.compilerOptions, paths }, files: programs.map(({ path }) => path) },
    ts.sys,
    root,
    undefined,
    join(root, "tsconfig.json"),
  );
  if (errors.length > 0) throw new Error(errors.map((error) => text(error.messageText)).join("\n"));
  const compiled = ts.createProgram(
    programs.map(({ path }) => path),
    options,
  );
  return new Map(
    programs.map(({ name, path, blocks }) => {
      const file = compiled.getSourceFile(path);
      if (!file) throw new Error(`${path} was not compiled`);
      const found = [...compiled.getSyntacticDiagnostics(file), ...compiled.getSemanticDiagnostics(file)];
      const wrong = found.map(({ start = 0, messageText }) => {
        const { line } = file.getLineAndCharacterOfPosition(start);
        return `${blocks[0]?.file}:${line + 1} ${text(messageText)}`;
      });
      return [name, wrong];
    }),
  );
}

function text(message: string | ts.DiagnosticMessageChain): string {
  return ts.flattenDiagnosticMessageText(message, "\n  ");
}
