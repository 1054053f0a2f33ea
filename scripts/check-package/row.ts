import type { Chromium } from "./chromium.ts";
import type { Service } from "./service.ts";
import type { Workspace } from "./workspace.ts";

/** What the rows share. */
export interface Context {
  readonly workspace: Workspace;
  /** The service the smoke suite talks to: a real HTTP server, started when first asked for. */
  service(): Promise<Service>;
  /** A browser, started when first asked for. */
  chromium(): Promise<Chromium>;
}

/** What a row tells beside having passed. */
export interface Passed {
  /** Of the consumer's tool or the runtime. */
  readonly version: string;
  /** A figure or a short remark. */
  readonly note?: string;
}

/** One consumer, runtime or check. It throws when the package does not hold. */
export interface Row {
  readonly name: string;
  /** Folder of test/package it needs installed; the time that takes is not the row's. */
  readonly group?: string;
  run(context: Context): Promise<Passed>;
}

/**
 * A row that works in the folder of a group.
 * @param tool whose version is told.
 * @param work gives what is told beside having passed.
 */
export function rowIn(
  group: string,
  name: string,
  tool: string,
  work: (cwd: string, context: Context) => Promise<string | undefined>,
): Row {
  return {
    name,
    group,
    async run(context) {
      const { workspace } = context;
      const note = await work(await workspace.install(group), context);
      return { version: await workspace.versionOf(group, tool), ...(note !== undefined && { note }) };
    },
  };
}
