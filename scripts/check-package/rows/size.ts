import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { run } from "../process.ts";
import { type Row, rowIn } from "../row.ts";

const GROUP = "bundlers";

/**
 * Maximum gzipped kilobytes that one resource may add to a page, including transport, ky, zod and the parts loaded on
 * demand.
 */
const CEILING_KB = 63;

/** Bundle sizes when little or nothing of the package is used. */
export const SIZE_ROWS: readonly Row[] = [
  ...["esbuild", "rollup", "rolldown", "webpack"].map((tool) =>
    rowIn(GROUP, `side-effects-${tool}`, tool, (cwd) => emptyBundle(cwd, tool)),
  ),
  rowIn(GROUP, "tree-shaking", "esbuild", treeShaking),
];

/** Checks that unused imports of all entries leave no code in a bundle. */
async function emptyBundle(cwd: string, tool: string): Promise<string> {
  const folder = `out-unused-${tool}`;
  await run(process.execPath, [`${tool}.mjs`, "src/unused.js", folder], { cwd });
  const code = await readFile(join(cwd, folder, "page.js"), "utf8");
  const rest = code.replaceAll(
    /\/\*[\s\S]*?\*\/|^\s*\/\/.*$|["']use strict["'];?|\(\(\) ?=> ?\{\s*\}\)\(\);?|\s/gm,
    "",
  );
  if (rest !== "") throw new Error(`${code.length} bytes are left: ${rest.slice(0, 300)}`);
  return "nothing left";
}

interface Analysis {
  readonly code: string;
  readonly bytes: number;
  readonly gzip: number;
  readonly files: readonly string[];
}

/**
 * Checks that a bundle of one resource on a transport contains no other resource: neither its module nor its routes.
 */
async function treeShaking(cwd: string): Promise<string> {
  const dist = join(cwd, "node_modules/education-admin-sdk/dist");
  const resources = await resourcesOf(dist);
  const sources = resources.map(
    ({ classes }) =>
      `import { ${classes[0]} } from "education-admin-sdk"; import { Transport } from "education-admin-sdk/operations";
       export const resource = new ${classes[0]}(new Transport({ baseUrl: "https://school.example", apiKey: "key" }));`,
  );
  const whole = 'export { MainClient } from "education-admin-sdk";';
  const organization = 'export { OrganizationClient } from "education-admin-sdk";';
  const schema = 'export { accountSchema } from "education-admin-sdk/schemas";';
  const out = await run(process.execPath, ["analyse.mjs", JSON.stringify([...sources, whole, organization, schema])], {
    cwd,
  });
  const analyses = JSON.parse(out) as Analysis[];
  const sizes: { name: string; gzip: number }[] = [];
  for (const [index, resource] of resources.entries()) {
    const { code, gzip, files } = analyses[index] as Analysis;
    for (const other of resources) {
      if (other.file === resource.file) continue;
      const there = files.some((file) => file.endsWith(`/dist/${other.file}`));
      // A resource may use another's schemas, but never its routes.
      const routed = other.tables.some((table) => code.includes(`("${table}",{`));
      if (routed || (there && !resource.imports.includes(other.file))) {
        throw new Error(`a bundle of ${resource.classes[0]} contains ${other.file}${routed ? " with its routes" : ""}`);
      }
    }
    if (!resource.tables.some((table) => code.includes(`("${table}",{`))) {
      throw new Error(`the bundle of ${resource.classes[0]} does not contain its own routes: the check is blind`);
    }
    sizes.push({ name: resource.classes[0] as string, gzip });
  }
  const [all, seven, record] = analyses.slice(-3) as [Analysis, Analysis, Analysis];
  if (/MainClient|authorization/.test(record.code)) throw new Error("a bundle of one schema contains client code");
  sizes.sort((a, b) => a.gzip - b.gzip);
  const kb = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`;
  const [least, most] = [sizes[0], sizes.at(-1)];
  if (!least || !most) throw new Error("no resources found");
  if (most.gzip > CEILING_KB * 1000)
    throw new Error(`${most.name} takes ${kb(most.gzip)} gzip, the ceiling is ${CEILING_KB} kB`);
  return `${sizes.length} resources, gzip ${kb(least.gzip)} (${least.name}) to ${kb(most.gzip)} (${most.name}); MainClient ${kb(all.gzip)}, OrganizationClient ${kb(seven.gzip)}; one schema ${kb(record.gzip)}`;
}

interface ResourceFile {
  /** Path below dist. */
  readonly file: string;
  readonly classes: readonly string[];
  /** Names of its operation tables. */
  readonly tables: readonly string[];
  /** Files of other resources that it imports. */
  readonly imports: readonly string[];
}

async function resourcesOf(dist: string): Promise<ResourceFile[]> {
  const found: ResourceFile[] = [];
  for (const name of await readdir(join(dist, "resources"), { recursive: true })) {
    if (!name.endsWith(".js")) continue;
    const file = join("resources", name);
    const code = await readFile(join(dist, file), "utf8");
    const classes = [...code.matchAll(/class (\w+) extends (\w+)/g)].map((match) => match[1] as string);
    const tables = [...code.matchAll(/operationTable\(\s*"([^"]+)"/g)].map((match) => match[1] as string);
    const imports = [...code.matchAll(/from "(\.[\w./-]+\.js)"/g)].map(([, path = ""]) => join(dirname(file), path));
    if (classes.length > 0) found.push({ file, classes, tables, imports });
  }
  return found;
}
