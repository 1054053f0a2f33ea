import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { ROOT } from "./generated.ts";

/** Files, each a name and a text, as Biome writes them. @param options of `biome`: the rules of a folder do not apply to these. */
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
