import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { ROOT } from "../lib/generated.ts";

/** The parts of a CycloneDX document that are used here. */
export interface Sbom {
  readonly metadata?: {
    readonly timestamp?: string;
    readonly tools?: unknown;
    readonly component: { readonly name: string };
  };
  readonly components: readonly { readonly "bom-ref": string; readonly name: string; readonly version: string }[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

/** Packages that tsup.config.ts bundles. npm lists them as development tools, but users run them. */
export const BUNDLED = [
  "@modelcontextprotocol/server",
  "commander",
  "oauth4webapi",
  "saxes",
  "string-width",
  "yauzl",
  "yazl",
] as const;

/** The packages whose licenses are in a file that scripts/build/licenses.ts has written. */
export function bundledIn(licenses: string): string[] {
  return [...licenses.matchAll(/^(@?[\w./-]+) \d+\.\d+\.\d+\S*$/gm)].map(([, name = ""]) => name);
}

/**
 * Reduces npm's bill of materials of the whole project to the parts that users get: the package's dependencies and the
 * bundled packages, with everything that these need.
 */
export function ofUsers(whole: Sbom, dependencies: readonly string[]): Sbom {
  const root = whole.dependencies[0];
  const needed = new Set(
    (root?.dependsOn ?? []).filter((ref) => [...dependencies, ...BUNDLED].includes(ref.slice(0, ref.lastIndexOf("@")))),
  );
  // The set grows during the loop.
  for (const ref of needed)
    for (const next of whole.dependencies.find((one) => one.ref === ref)?.dependsOn ?? []) needed.add(next);
  // Two builds from one lockfile must not differ in a byte, so the time and the serial number are left out.
  const { metadata, serialNumber: _, ...same } = whole as Sbom & { readonly serialNumber?: string };
  const { timestamp: __, tools: ___, ...described } = metadata ?? {};
  return {
    ...same,
    // npm would name the component after the folder.
    ...(metadata && {
      metadata: { ...described, component: { ...metadata.component, name: root?.ref.split("@")[0] ?? "" } },
    }),
    components: whole.components.filter((component) => needed.has(component["bom-ref"])),
    dependencies: whole.dependencies
      .filter(({ ref }) => needed.has(ref) || ref === root?.ref)
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => needed.has(one)) })),
  };
}

/** Writes the bill of materials into a folder of the project, from the lockfile. @returns its content. */
export function writeSbom(folder: ".artefacts" | "dist", dependencies: readonly string[]): Sbom {
  const args = ["sbom", "--sbom-format", "cyclonedx", "--sbom-type", "library", "--package-lock-only"];
  const text = execFileSync("npm", args, {
    cwd: ROOT,
    encoding: "utf8",
    maxBuffer: 2 ** 28,
    shell: process.platform === "win32",
  });
  const sbom = ofUsers(JSON.parse(text) as Sbom, dependencies);
  mkdirSync(`${ROOT}${folder}`, { recursive: true });
  writeFileSync(`${ROOT}${folder}/sbom.cdx.json`, `${JSON.stringify(sbom, null, 2)}\n`);
  return sbom;
}
