import { ConfigurationError } from "../errors.js";
import { notify, type Observers } from "../events.js";
import { LEVELS, logTo } from "../log.js";
import { environment } from "../service.js";

/**
 * Adds logging to a client's observers if `EDUCATION_ADMIN_LOG` names a level. @throws ConfigurationError if the
 * variable has any other value.
 */
export function withLog(on: Observers): Observers {
  const level = levelOf();
  if (level === undefined) return on;
  if (level !== "info" && level !== "debug") throw new ConfigurationError("EDUCATION_ADMIN_LOG must be info or debug");
  // Writes to standard error, because a program's standard output may be redirected to a file.
  const write = (line: string) => console.error(line);
  const log = logTo({ debug: write, info: write, warn: write }, level);
  const names = (Object.keys(LEVELS) as (keyof Observers)[]).filter((name) => log[name] || on[name]);
  return Object.fromEntries(
    names.map((name) => [
      name,
      (event: never) => {
        notify(log, name, event);
        notify(on, name, event);
      },
    ]),
  );
}

function levelOf(): string | undefined {
  try {
    return environment("EDUCATION_ADMIN_LOG");
  } catch {
    // Deno refuses to read a variable without permission. A client whose options are all given in code reads only this
    // variable, and must work without permission.
    return undefined;
  }
}
