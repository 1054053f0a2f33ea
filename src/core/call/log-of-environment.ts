import { ConfigurationError } from "../errors.js";
import { notify, type Observers } from "../events.js";
import { LEVELS, logTo } from "../log.js";
import { environment } from "../service.js";

// A client that is made of another one's settings logs once.
const logging = /* @__PURE__ */ new WeakSet<Observers>();

/** The observers of a client and, where `EDUCATION_ADMIN_LOG` names a level, those that log. @throws ConfigurationError for another word. */
export function withLog(on: Observers): Observers {
  const level = levelOf();
  if (level === undefined || logging.has(on)) return on;
  if (level !== "info" && level !== "debug") throw new ConfigurationError("EDUCATION_ADMIN_LOG must be info or debug");
  // The output of a program may be a file that it writes.
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
    // Deno gives no variable without permission; a client that is given all it needs reads no other.
    return undefined;
  }
}
