import { statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { isPlainObject } from "../core/json.js";
import { didYouMean } from "../core/option-checks.js";
import { jsonIn } from "./system-problem.js";
import { type Terminal, UsageError } from "./terminal.js";

/**
 * The address and the key of `--school`, by the names of their environment variables.
 * @throws UsageError if the file cannot be used, other users can read it, or it lacks the school or one of its values.
 */
export function schoolNamed(name: string, { env }: Terminal): Readonly<Record<string, string | undefined>> {
  const folder = env.XDG_CONFIG_HOME || join(homedir(), ".config");
  const file = env.EDUCATION_ADMIN_SCHOOLS || join(folder, "education-admin-sdk", "schools.json");
  const all = jsonIn(file, "--school");
  if (process.platform !== "win32" && (statSync(file).mode & 0o077) !== 0)
    throw new UsageError(`--school: other users can use ${file}, which holds keys. Run: chmod 600 ${file}`);
  if (!isPlainObject(all)) throw new UsageError(`--school: ${file} is not a JSON object: ${EXAMPLE}`);
  const school = Object.hasOwn(all, name) ? all[name] : undefined;
  if (school === undefined)
    throw new UsageError(`--school: ${file} has no "${name}"${didYouMean(name, Object.keys(all))}`);
  const { baseUrl, apiKey } = isPlainObject(school) ? school : {};
  if (typeof baseUrl !== "string" || typeof apiKey !== "string")
    throw new UsageError(`--school: "${name}" in ${file} needs an address and a key: ${EXAMPLE}`);
  return { EDUCATION_ADMIN_BASE_URL: baseUrl, EDUCATION_ADMIN_API_KEY: apiKey };
}

const EXAMPLE = '{ "north": { "baseUrl": "https://school.example", "apiKey": "…" } }';
