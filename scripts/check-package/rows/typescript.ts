import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { run } from "../../lib/process.ts";
import { type Row, rowIn } from "../row.ts";
import { runSmoke } from "../steps.ts";

const RELEASES = ["5.4", "6.0", "7.0"] as const;

/** Module resolutions whose output is also run. */
const RESOLUTIONS = ["nodenext", "node16", "bundler"] as const;

/**
 * Configurations that are only type-checked; isolatedDeclarations needs TypeScript 5.5, require() of ES modules needs
 * 5.8.
 */
const CHECKED = [
  { name: "exactOptionalPropertyTypes", releases: RELEASES },
  { name: "verbatimModuleSyntax", releases: RELEASES },
  { name: "node-types", releases: RELEASES },
  { name: "isolatedDeclarations", releases: ["6.0", "7.0"] },
  { name: "commonjs", releases: ["6.0", "7.0"] },
] as const;

/**
 * The oldest and the newest supported TypeScript, and one between them. Library files are checked too (skipLibCheck is
 * off), which finds errors in our declarations, including those that would silently turn a type into any.
 */
export const TYPESCRIPT_ROWS: readonly Row[] = [
  ...RELEASES.flatMap((release) => RESOLUTIONS.map((config) => row(release, config))),
  ...CHECKED.flatMap(({ name, releases }) => releases.map((release) => row(release, name))),
  ...RELEASES.map(completions),
  copies("6.0"),
];

function row(release: string, config: string): Row {
  return rowOf(release, config, async (cwd, context) => {
    await compile(cwd, release, config);
    if (config === "commonjs") {
      await run(process.execPath, ["out/commonjs/src/commonjs.cjs"], { cwd });
      return "emitted require() runs";
    }
    if (!(RESOLUTIONS as readonly string[]).includes(config)) return undefined;
    return (await runSmoke(context, process.execPath, [`out/${config}/src/run.js`], { cwd })).note;
  });
}

function rowOf(release: string, what: string, work: Parameters<typeof rowIn>[3]): Row {
  return rowIn("typescript", `typescript-${release}-${what}`, `typescript-${release}`, work);
}

async function compile(cwd: string, release: string, config: string): Promise<void> {
  await run(process.execPath, [`node_modules/typescript-${release}/bin/tsc`, "-p", `tsconfig.${config}.json`], { cwd });
}

/**
 * Checks that the types of two versions of the package, installed side by side, are compatible. TypeScript 7 compares
 * generic methods more deeply than earlier versions, and rejects clients because of `requestPages(…).with(…).with(…)`.
 */
function copies(release: string): Row {
  return rowOf(release, "copies", async (cwd) => {
    const other = join(cwd, "node_modules/other-sdk");
    await cp(join(cwd, "node_modules/education-admin-sdk"), other, { recursive: true });
    const manifest = await readFile(join(other, "package.json"), "utf8");
    // The compiler would treat two copies of the same version as one.
    await writeFile(
      join(other, "package.json"),
      manifest.replace(/("version": ")[^"]+/, (_, before: string) => `${before}0.0.1`),
    );
    await compile(cwd, release, "copies");
    return undefined;
  });
}

/** Checks an editor's completions in a program that uses a school's file. */
function completions(release: string): Row {
  return rowOf(release, "completions", async (cwd) => {
    const places = await run(process.execPath, ["completions.mjs", `typescript-${release}`], { cwd });
    return `${places.trim()} places`;
  });
}
