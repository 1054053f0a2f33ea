import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { AdminClient, MainClient, OrganizationClient } from "../../src/index.js";
import { options } from "../support/clients.js";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** The compiler's complaints about files, some of them given as text. */
function complaints(files: readonly string[], texts: ReadonlyMap<string, string> = new Map()): string[] {
  const { config } = ts.readConfigFile(`${ROOT}tsconfig.json`, ts.sys.readFile);
  const { options: compilerOptions } = ts.parseJsonConfigFileContent({ ...config, files, include: [] }, ts.sys, ROOT);
  const host = ts.createCompilerHost(compilerOptions);
  const { fileExists, readFile } = host;
  host.fileExists = (name) => texts.has(name) || fileExists(name);
  host.readFile = (name) => texts.get(name) ?? readFile(name);
  const { getSourceFile } = host;
  host.getSourceFile = (name, version, ...rest) => {
    const text = texts.get(name);
    return text === undefined ? getSourceFile(name, version, ...rest) : ts.createSourceFile(name, text, version);
  };
  const program = ts.createProgram(files, compilerOptions, host);
  return files.flatMap((file) => {
    const source = program.getSourceFile(file);
    return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map((found) => {
      const { line = -1 } = source?.getLineAndCharacterOfPosition(found.start ?? 0) ?? {};
      const name = file.slice(HERE.length);
      return `${name}:${line + 1} ${ts.flattenDiagnosticMessageText(found.messageText, " ")}`;
    });
  });
}

describe("the public types", () => {
  it("are what the type tests say", { timeout: 90_000 }, () => {
    const files = readdirSync(HERE).filter((name) => name.endsWith(".test-d.ts"));
    expect(files.length).toBeGreaterThanOrEqual(3);
    // One file more that is wrong in two ways, to know that the compiler looks.
    const wrong = `${HERE}wrong.test-d.ts`;
    const text = `import { AdminClient } from "../../src/index.js";
      new AdminClient().invoices;
      // @ts-expect-error nothing is wrong here
      new AdminClient().accounts;`;
    const found = complaints([...files.map((name) => HERE + name), wrong], new Map([[wrong, text]]));
    expect(found).toEqual([
      expect.stringContaining("wrong.test-d.ts:2 Property 'invoices' does not exist"),
      expect.stringContaining("wrong.test-d.ts:3 Unused '@ts-expect-error' directive"),
    ]);
  });
});

describe("what an API does not offer", () => {
  const main = new MainClient(options());
  const admin = new AdminClient(options());
  const organization = new OrganizationClient(options());

  it("does not exist at run time either", () => {
    for (const [client, there, missing] of [
      [main, ["invoices", "invoiceVats", "accounts"], ["certificates", "departments", "emails", "contacts"]],
      [admin, ["certificates", "departments", "emails", "accounts"], ["invoices", "invoiceVats", "contacts"]],
      [organization, ["contacts"], ["accounts", "invoices", "organization"]],
    ] as const) {
      for (const name of there) expect(name in client, name).toBe(true);
      for (const name of missing) expect(name in client, name).toBe(false);
    }
    expect("listForOrders" in admin.comments).toBe(true);
    expect("listForOrders" in main.comments).toBe(false);
    expect("get" in organization.contacts).toBe(false);
    expect(main.organization).toBeInstanceOf(OrganizationClient);
  });
});
