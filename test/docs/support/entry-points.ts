import { ENTRIES } from "../../../scripts/lib/entries.ts";
import { root } from "./code-blocks.ts";

/** The package's entry points and their sources. */
export const entryPoints: Readonly<Record<string, string>> = Object.fromEntries(
  ENTRIES.map(({ specifier, source }) => [specifier, source]),
);

// What examples may use without declaring it.
const IN_SCOPE: Readonly<Record<string, string>> = {
  client: "const client = new MainClient();",
  admin: "const admin = new AdminClient();",
  organization: "const organization = new OrganizationClient();",
  sandbox: "const sandbox = createSandbox();",
  handler: "const handler = createWebhookHandler({ signature: false });",
  copy: 'const copy = mirror(new MainClient(), sqlite(new (await import("node:sqlite")).DatabaseSync(":memory:")), { resources: ["accounts"] });',
};

/**
 * What a docstring's example takes for granted: the clients, a sandbox, a webhook handler, a mirror, and every export of the package by its name.
 */
export async function preludeFor(code: string): Promise<string> {
  const given = Object.entries(IN_SCOPE).filter(([name]) => uses(code, name) && !declares(code, name));
  const declarations = given.map(([, declaration]) => declaration).join(" ");
  const imports: string[] = [];
  for (const [specifier, names] of await exportedNames()) {
    const used = names.filter((name) => uses(`${declarations} ${code}`, name) && !declares(code, name));
    if (used.length > 0) imports.push(`import { ${used.join(", ")} } from "${specifier}";`);
  }
  return [...imports, declarations].join(" ");
}

let exported: Promise<(readonly [specifier: string, names: readonly string[]])[]> | undefined;

// A name that two entry points export, an enumeration or an error, is taken from the first.
function exportedNames(): NonNullable<typeof exported> {
  exported ??= (async () => {
    const seen = new Set<string>();
    const entries: [string, string[]][] = [];
    for (const [specifier, file] of Object.entries(entryPoints)) {
      const names = Object.keys((await import(`${root}${file}`)) as object).filter((name) => !seen.has(name));
      for (const name of names) seen.add(name);
      entries.push([specifier, names]);
    }
    return entries;
  })();
  return exported;
}

function uses(code: string, name: string): boolean {
  return new RegExp(`(?<![\\w$]|(?<!\\.\\.)\\.)${name}\\b`).test(code);
}

function declares(code: string, name: string): boolean {
  return new RegExp(`\\b(?:const|let|function|class)\\s+${name}\\b|^import[^;]*\\b${name}\\b`, "m").test(code);
}
