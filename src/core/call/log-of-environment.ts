import { ConfigurationError } from "../errors.js";
import { notify, type Observers } from "../events.js";
import { LEVELS, logTo } from "../log.js";
import { environment } from "../service.js";

// A client made from another client's settings does not log again.
const logging = /* @__PURE__ */ new WeakSet<Observers>();

/**
 * Adds observers that log to those of a client if `EDUCATION_ADMIN_LOG` names a level. @throws ConfigurationError for
 * any other word.
 */
export function withLog(on: Observers): Observers {
  const level = levelOf();
  if (level === undefined || logging.has(on)) return on;
  if (level !== "info" && level !== "debug") throw new ConfigurationError("EDUCATION_ADMIN_LOG must be info or debug");
  // Standard output may be a file that the program writes.
  const write = (line: string) => console.error(line);
  const log = logTo({ debug: write, info: write, warn: write }, level);
  const names = (Object.keys(LEVELS) as (keyof Observers)[]).filter((name) => log[name] || on[name]);
  const both: Observers = Object.fromEntries(
    names.map((name) => [
      name,
      (event: never) => {
        notify(log, name, event);
        notify(on, name, event);
      },
    ]),
  );
  logging.add(both);
  return both;
}

function levelOf(): string | undefined {
  try {
    return environment("EDUCATION_ADMIN_LOG");
  } catch {
    // Deno reads no variable without permission. A client with all options needs no other variable and must not fail
    // here.
    return undefined;
  }
}
