import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import ts from "typescript";
import { type Program, root } from "./code-blocks.ts";
import { entryPoints } from "./entry-points.ts";

/** A program that was written to a file. */
export interface WrittenProgram extends Program {
  readonly path: string;
}

/** Makes an empty folder below the project, so that imports find its dependencies; not in git. */
export function makeFolder(): string {
  mkdirSync(join(root, ".artefacts"), { recursive: true });
  return mkdtempSync(join(root, ".artefacts/code-blocks-"));
}

/** Writes programs to files of a folder, where they can be compiled and run. */
export function write(programs: readonly Program[], into: string): WrittenProgram[] {
  return programs.map((program) => {
    const [document = "", line] = program.name.replace(/\.(md|ts):/, ":").split(":");
    // A folder for each document, so that the files it names can import each other.
    const folder = join(into, document.replaceAll("/", "-"));
    mkdirSync(folder, { recursive: true });
    const path = join(folder, program.file ?? `line-${line}.ts`);
    writeFileSync(path, program.code);
    return { ...program, path };
  });
}

/**
 * Compiles files together, as strictly as the project itself and against the built package.
 * @returns what is wrong with each, as line and message.
 */
export function compile(
  files: readonly string[],
  overrides: { readonly lib?: readonly string[] } = {},
): Map<string, { line: number; message: string }[]> {
  const { config } = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile) as {
    config: { compilerOptions: object };
  };
  const paths = {
    ...Object.fromEntries(
      Object.entries(entryPoints).map(([specifier, file]) => [
        specifier,
        [`./${file.replace(/^src/, "dist").replace(/\.ts$/, ".d.ts")}`],
      ]),
    ),
    // undici's own declarations, which @types/node brings along.
    undici: ["./node_modules/undici-types/index.d.ts"],
  };
  const { options, errors } = ts.parseJsonConfigFileContent(
    {
      compilerOptions: { ...config.compilerOptions, ...overrides, paths },
      files: files.map((file) => relative(root, file)),
    },
    ts.sys,
    root,
    undefined,
    join(root, "tsconfig.json"),
  );
  if (errors.length > 0) throw new Error(errors.map((error) => text(error.messageText)).join("\n"));
  const program = ts.createProgram([...files], options);
  return new Map(
    files.map((file) => {
      const source = program.getSourceFile(file);
      if (!source) throw new Error(`${file} was not compiled`);
      const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
      const wrong = found.map(({ start = 0, messageText }) => ({
        line: source.getLineAndCharacterOfPosition(start).line + 1,
        message: text(messageText),
      }));
      return [file, wrong];
    }),
  );
}

function text(message: string | ts.DiagnosticMessageChain): string {
  return ts.flattenDiagnosticMessageText(message, "\n  ");
}
