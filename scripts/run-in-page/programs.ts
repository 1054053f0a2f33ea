// Makes programs from the code in documents and docstrings. The tests run them in Node, and the site runs them in the
// page.

/** One block of code in a document or a docstring. */
export interface Block {
  /** Path below the project's folder. */
  readonly file: string;
  /** The line number of the first line of code, counted from 1. */
  readonly line: number;
  readonly code: string;
}

/** Blocks that run together, in order. */
export interface Program {
  /** Its file name, below a folder for its document; null if the document gives none. */
  readonly file: string | null;
  /** The file and line where it starts, such as `README.md:31`. */
  readonly name: string;
  /** The code, with every line at its line number in the document, so that messages name the right one. */
  readonly code: string;
  readonly blocks: readonly Block[];
}

/** The exports of each entry point, the main entry first. */
export type ExportedNames = readonly (readonly [specifier: string, names: readonly string[]])[];

// Names that examples may use without declaring them.
const IN_SCOPE: Readonly<Record<string, string>> = {
  client: "const client = new MainClient();",
  admin: "const admin = new AdminClient();",
  organization: "const organization = new OrganizationClient();",
  sandbox: "const sandbox = createSandbox();",
  handler: "const handler = createWebhookHandler({ signature: false });",
  copy: 'const copy = mirror(new MainClient(), sqlite(new (await import("node:sqlite")).DatabaseSync(":memory:")), { resources: ["accounts"] });',
};

/**
 * The programs in a document's `ts` blocks. A block whose first line is `// name.ts` is that file. The other blocks
 * form one program in order; a block that imports a name again begins a new program.
 */
export function programsFrom(all: readonly Block[]): Program[] {
  const programs: Block[][] = [];
  let current: Block[] | null = null;
  let imported = new Set<string>();
  for (const block of all) {
    if (fileNameOf(block.code) !== null) {
      programs.push([block]);
      current = null;
      continue;
    }
    const names = importedNames(block.code);
    if (current === null || names.some((name) => imported.has(name))) {
      current = [];
      programs.push(current);
      imported = new Set();
    }
    for (const name of names) imported.add(name);
    current.push(block);
  }
  return programs.map((blocks) => programFrom(blocks));
}

/**
 * Makes a program from blocks of one document.
 * @param prelude code that comes before the blocks, on the first line.
 */
export function programFrom(blocks: readonly Block[], prelude = ""): Program {
  const lines: string[] = [prelude];
  for (const { line, code } of blocks) {
    while (lines.length < line - 1) lines.push("");
    lines.push(...code.split("\n"));
  }
  const [first] = blocks;
  return {
    name: `${first?.file}:${first?.line}`,
    file: fileNameOf(first?.code ?? ""),
    code: `${lines.join("\n")}\nexport {};\n`,
    blocks,
  };
}

/** Names that a block imports. */
export function importedNames(code: string): string[] {
  return [...code.matchAll(/^import\s+(?:type\s+)?([^"';]+?)\s+from\s/gm)].flatMap(([, clause = ""]) =>
    clause
      .replace(/[{}]/g, ",")
      .split(",")
      .map(
        (part) =>
          part
            .trim()
            .replace(/^type\s+/, "")
            .split(/\s+as\s+/)
            .at(-1) ?? "",
      )
      .filter((name) => name !== ""),
  );
}

/** The modules that code imports. */
export function importedModules(code: string): string[] {
  return [
    ...new Set([...code.matchAll(/\b(?:from|import)\s*\(?\s*"([^"]+)"/g)].map(([, specifier = ""]) => specifier)),
  ];
}

/**
 * Code that a docstring's example relies on: the clients, a sandbox, a webhook handler, a mirror, and all exports of
 * the package by name.
 */
export function preludeFor(code: string, exported: ExportedNames): string {
  const given = Object.entries(IN_SCOPE).filter(([name]) => uses(code, name) && !declares(code, name));
  const declarations = given.map(([, declaration]) => declaration).join(" ");
  const imports: string[] = [];
  for (const [specifier, names] of exported) {
    const used = names.filter((name) => uses(`${declarations} ${code}`, name) && !declares(code, name));
    if (used.length > 0) imports.push(`import { ${used.join(", ")} } from "${specifier}";`);
  }
  return [...imports, declarations].join(" ");
}

/** The file name on a block's first line; null without one. */
function fileNameOf(code: string): string | null {
  return /^\/\/ ([\w-]+\.ts)\n/.exec(code)?.[1] ?? null;
}

function uses(code: string, name: string): boolean {
  return new RegExp(`(?<![\\w$]|(?<!\\.\\.)\\.)${name}\\b`).test(code);
}

function declares(code: string, name: string): boolean {
  return new RegExp(`\\b(?:const|let|function|class)\\s+${name}\\b|^import[^;]*\\b${name}\\b`, "m").test(code);
}
