import { type Site, serveSite } from "../lib/static-site.ts";
import type { Chromium } from "./chromium.ts";
import type { Service } from "./service.ts";
import type { Workspace } from "./workspace.ts";

/** Resources that the rows share. */
export interface Context {
  readonly workspace: Workspace;
  /** The service for the smoke suite: a real HTTP server, started on first use. */
  service(): Promise<Service>;
  /** A browser, started on first use. */
  chromium(): Promise<Chromium>;
}

/** Details of a row that passed. */
export interface Passed {
  /** Version of the consumer's tool or the runtime. */
  readonly version: string;
  /** A figure or a short remark. */
  readonly note?: string;
}

/** One consumer, runtime or check. It throws if the package fails. */
export interface Row {
  readonly name: string;
  /** Folder of test/package to install; the installation does not count towards the row's time. */
  readonly group?: string;
  run(context: Context): Promise<Passed>;
}

/**
 * Serves a folder under a strict Content-Security-Policy: scripts only from files of this origin, so neither eval nor
 * inline code. A folder without index.html gets a page that loads page.js.
 */
export function servePage(folder: string, service?: Service): Promise<Site> {
  const headers = { "content-security-policy": "default-src 'self'; script-src 'self'; connect-src *" };
  const head = '<!doctype html><html lang="en"><meta charset="utf-8"><title>Page</title>';
  return serveSite(folder, { headers, service, index: `${head}<body><script type="module" src="page.js"></script>` });
}

/**
 * Creates a row that runs in the folder of a group.
 * @param tool the tool whose version is reported.
 * @param work returns a note on the result.
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
