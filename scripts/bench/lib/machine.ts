import { readFile } from "node:fs/promises";
import { cpus, loadavg, totalmem } from "node:os";
import { BENCH, ROOT } from "./paths.ts";

/**
 * Returns the line below each table: the date, the machine, the versions of Node and the library, and the machine's
 * load.
 */
export async function describeMachine(): Promise<string> {
  const processors = cpus();
  const memory = (totalmem() / 2 ** 30).toFixed(1);
  const model = processors[0]?.model.trim() || "unnamed processor";
  const { version } = await readJson<{ version: string }>(`${ROOT}package.json`);
  return (
    `${new Date().toISOString().slice(0, 16).replace("T", " ")} UTC, ${processors.length} cores (${model}), ${memory} GiB, ` +
    `Node ${process.versions.node}, education-admin-sdk ${version}, load ${loadavg()[0]?.toFixed(1)} at the end.`
  );
}

/** Returns the installed version of a package that the bench uses. */
export async function versionOf(name: string): Promise<string> {
  return (await readJson<{ version: string }>(`${BENCH}node_modules/${name}/package.json`)).version;
}

async function readJson<T>(path: string): Promise<T> {
  return JSON.parse(await readFile(path, "utf8"));
}
