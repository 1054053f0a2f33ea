import { fileURLToPath } from "node:url";
import ts from "typescript";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
/** Shared by all editors, so that the test files in one process parse the declarations only once. */
export const parsed = ts.createDocumentRegistry();
let opened = 0;

/** The tooltip that an editor shows at one position in a program. */
export interface Hover {
  /** The declaration, such as `(method) Accounts.get(…): Call<Account>`. */
  readonly type: string;
  readonly comment: string;
  /** Tags such as `@example …` and `@param id …`. */
  readonly tags: readonly string[];
}

/** The help that an editor shows while the user types arguments. */
export interface SignatureHelp {
  readonly comment: string;
  /** The comment on each parameter, by the parameter's name. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** An editor with one open program, which imports the declarations in dist: `from "./index.js"`. */
export interface Editor {
  /** The compiler's messages about the program, each with its line number, counted from 0. */
  complaints(): { readonly line: number; readonly message: string }[];
  /** The completions that the editor offers after the first occurrence of this text. */
  completionsAfter(text: string): string[];
  /** The tooltip over a character in the first occurrence of this text; by default over its last character. */
  hover(text: string, offset?: number): Hover;
  /** The signature help after the first occurrence of this text, which ends within an argument list. */
  signatureAfter(text: string): SignatureHelp;
  /** The program as the compiler sees it. */
  readonly program: ts.Program;
  /** The path of an entry point's declarations. */
  declarationsOf(entry: string): string;
}

/** Opens a program in an editor. */
export function openInEditor(text: string): Editor {
  const user = `${ROOT}dist/user-${++opened}-of-the-package.ts`;
  const read = (name: string) => (name === user ? text : ts.sys.readFile(name));
  const { config } = ts.readConfigFile(`${ROOT}tsconfig.json`, ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, files: [user], include: [] }, ts.sys, ROOT);
  const host: ts.LanguageServiceHost = {
    getCompilationSettings: () => options,
    getScriptFileNames: () => [user],
    getScriptVersion: () => "1",
    getScriptSnapshot: (name) => {
      const found = read(name);
      return found === undefined ? undefined : ts.ScriptSnapshot.fromString(found);
    },
    getCurrentDirectory: () => ROOT,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: (name) => name === user || ts.sys.fileExists(name),
    readFile: read,
    directoryExists: ts.sys.directoryExists,
  };
  const service = ts.createLanguageService(host, parsed);
  const program = service.getProgram();
  const source = program?.getSourceFile(user);
  if (!program || !source) throw new Error("no program");
  const placeOf = (part: string) => {
    const at = text.indexOf(part);
    if (at < 0) throw new Error(`the program has no ${part}`);
    return at;
  };
  return {
    program,
    declarationsOf: (entry) => `${ROOT}dist/${entry}.d.ts`,
    complaints: () =>
      [...service.getSyntacticDiagnostics(user), ...service.getSemanticDiagnostics(user)].map((found) => ({
        line: source.getLineAndCharacterOfPosition(found.start ?? 0).line,
        message: ts.flattenDiagnosticMessageText(found.messageText, " "),
      })),
    completionsAfter(part) {
      const { entries } = service.getCompletionsAtPosition(user, placeOf(part) + part.length, {}) ?? { entries: [] };
      return entries.map(({ name }) => name);
    },
    hover(part, offset = part.length - 1) {
      const info = service.getQuickInfoAtPosition(user, placeOf(part) + offset);
      return {
        type: ts.displayPartsToString(info?.displayParts),
        comment: ts.displayPartsToString(info?.documentation),
        tags: (info?.tags ?? []).map(({ name, text: said }) => `@${name} ${ts.displayPartsToString(said)}`.trim()),
      };
    },
    signatureAfter(part) {
      const item = service.getSignatureHelpItems(user, placeOf(part) + part.length, undefined)?.items[0];
      return {
        comment: ts.displayPartsToString(item?.documentation),
        parameters: Object.fromEntries(
          (item?.parameters ?? []).map(({ name, documentation }) => [name, ts.displayPartsToString(documentation)]),
        ),
      };
    },
  };
}
