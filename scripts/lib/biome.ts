import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { ROOT } from "./generated.ts";

/**
 * Formats files, each given as a name and a text, with Biome.
 * @param options options of `biome`, because the rules of the files' folder do not apply here.
 */
export function asBiomeWrites(
  files: readonly (readonly [name: string, text: string])[],
  ...options: string[]
): string[] {
  mkdirSync(`${ROOT}.artefacts`, { recursive: true });
  const folder = mkdtempSync(`${ROOT}.artefacts/biome-`);
  try {
    for (const [name, text] of files) writeFileSync(`${folder}/${name}`, text);
    const biome = `${ROOT}node_modules/@biomejs/biome/bin/biome`;
    execFileSync(process.execPath, [biome, ...options, "--write", "--vcs-enabled=false", folder], { stdio: "pipe" });
    return files.map(([name]) => readFileSync(`${folder}/${name}`, "utf8"));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
