import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** The compiler's complaints about files, some of them given as text: `file:line text`. */
export function complaints(files: readonly string[], texts: ReadonlyMap<string, string> = new Map()): string[] {
  const { config } = ts.readConfigFile(`${ROOT}tsconfig.json`, ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, files, include: [] }, ts.sys, ROOT);
  const host = ts.createCompilerHost(options);
  const { directoryExists, fileExists, readFile } = host;
  host.directoryExists = (name) =>
    directoryExists?.(name) === true || [...texts.keys()].some((file) => file.startsWith(`${name}/`));
  host.fileExists = (name) => texts.has(name) || fileExists(name);
  host.readFile = (name) => texts.get(name) ?? readFile(name);
  const { getSourceFile } = host;
  host.getSourceFile = (name, version, ...rest) => {
    const text = texts.get(name);
    return text === undefined ? getSourceFile(name, version, ...rest) : ts.createSourceFile(name, text, version);
  };
  const program = ts.createProgram(files, options, host);
  return files.flatMap((file) => {
    const source = program.getSourceFile(file);
    return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map((found) => {
      const { line = -1 } = source?.getLineAndCharacterOfPosition(found.start ?? 0) ?? {};
      return `${basename(file)}:${line + 1} ${ts.flattenDiagnosticMessageText(found.messageText, " ")}`;
    });
  });
}
