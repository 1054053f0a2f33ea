// Many schools on one token store: eight processes whose tokens expire together, and processes that die at every step
// of a login and of a refresh. Promises: one refresh per school; no school is given up while it still accepts its
// refresh token; no refresh token is sent again after its response arrived, and at most once more if its response was
// lost with a process.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { createSandbox, type Sandbox, type SandboxOAuthOptions } from "education-admin-sdk/sandbox";
import { listen, type SandboxServer } from "education-admin-sdk/sandbox/node";
import { createSchools, type Schools } from "education-admin-sdk/schools";
import { sqliteTokens } from "education-admin-sdk/stores/sqlite";
import { type CampaignOptions, campaign, command, type Figures, type Promises } from "./support/command.ts";
import type { SchoolsTold, SchoolsWork } from "./support/schools-worker.ts";

export interface SchoolsFigures extends Figures {
  readonly processes: number;
  readonly schools: number;
  readonly refreshes: number;
  readonly read: number;
  readonly kills: number;
  /**
   * The number of kills after which a school had to be reconnected, because the only response with its tokens was lost.
   */
  readonly lost: number;
  /** How many of these schools would still have accepted the stored refresh token. */
  readonly lockedOut: number;
  /** The number of times that a replaced refresh token was sent again. */
  readonly spentSent: number;
}

const HOUR = 3_600_000;
const REDIRECT = "https://agency.example/callback";
const SECRET = "the application's secret";
const WORKER = fileURLToPath(new URL("./support/schools-worker.ts", import.meta.url));
const HASTE = 200;

/** A token store and the schools that use it, each with its server. */
class Place {
  readonly file: string;
  readonly encryptionKey = randomBytes(32).toString("base64");
  readonly sandboxes = new Map<string, Sandbox>();
  readonly #servers: SandboxServer[] = [];
  readonly #database: DatabaseSync;
  readonly schools: Schools;
  readonly store;

  constructor(folder: string, name: string) {
    this.file = join(folder, `${name}.sqlite`);
    this.#database = new DatabaseSync(this.file);
    this.store = sqliteTokens(this.#database, { encryptionKey: this.encryptionKey });
    const { store: tokens } = this;
    this.schools = createSchools({ clientId: "agency", clientSecret: SECRET, redirectUri: REDIRECT, tokens });
  }

  async open(count: number, rotation: SandboxOAuthOptions["rotation"]): Promise<void> {
    for (let at = 0; at < count; at++) {
      const oauth = { clientSecret: SECRET, redirectUri: REDIRECT, agrees: true, rotation };
      const sandbox = createSandbox({ size: 1, seed: at + 1, rateLimit: false, manners: { iss: "sent" }, oauth });
      const server = await listen(sandbox);
      this.#servers.push(server);
      this.sandboxes.set(server.url, sandbox);
    }
  }

  async authorize(school: string): Promise<string> {
    const response = await fetch(await this.schools.authorizeUrl(school), { redirect: "manual" });
    return response.headers.get("location") as string;
  }

  async connectAll(): Promise<void> {
    for (const school of this.sandboxes.keys()) await this.schools.connect(await this.authorize(school));
  }

  async passHour(): Promise<void> {
    for (const sandbox of this.sandboxes.values()) await sandbox.clock.advance(HOUR);
  }

  /** The refresh token stored for a school, or null. */
  async refreshToken(school: string): Promise<string | null> {
    const entry = await this.store.get(`school ${school}`);
    return entry && (JSON.parse(entry.secret) as { refreshToken: string }).refreshToken;
  }

  async close(): Promise<void> {
    for (const server of this.#servers) await server.close();
    this.#database.close();
  }

  run(more: Partial<SchoolsWork>): Promise<SchoolsTold | null> {
    const work: SchoolsWork = {
      file: this.file,
      encryptionKey: this.encryptionKey,
      clientSecret: SECRET,
      redirectUri: REDIRECT,
      schools: [...this.sandboxes.keys()],
      aheadMs: HOUR,
      haste: HASTE,
      callback: null,
      diesAt: null,
      ...more,
    };
    const env = { ...process.env, WORK: JSON.stringify(work) };
    const child = spawn(process.execPath, [WORKER], { env, stdio: ["ignore", "pipe", "inherit"] });
    let text = "";
    child.stdout.on("data", (part) => {
      text += String(part);
    });
    return new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("close", () => resolve(text === "" ? null : (JSON.parse(text) as SchoolsTold)));
    });
  }
}

export function run(options: CampaignOptions = {}): Promise<SchoolsFigures> {
  return campaign("schools", options, async ({ long, promises }) => {
    const folder = mkdtempSync(join(tmpdir(), "schools-"));
    try {
      const together = await allAtOnce(folder, promises, long ? 8 : 4, long ? 30 : 8);
      const kills = await killAtEachStep(folder, promises, long ? 200 : 10);
      return { ...together, ...kills };
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
}

async function allAtOnce(folder: string, promises: Promises, processes: number, schools: number) {
  const place = new Place(folder, "together");
  await place.open(schools, "at once");
  await place.connectAll();
  await place.passHour();
  const told = await Promise.all(Array.from({ length: processes }, () => place.run({ haste: 1 })));
  const grants = [...place.sandboxes.values()].flatMap(({ oauth }) => oauth.grants);
  const refreshes = grants.filter(({ type }) => type === "refresh_token");
  const read = told.reduce((sum, one) => sum + (one?.read ?? 0), 0);
  promises.check(refreshes.length === schools, "one refresh for each school", `${refreshes.length} of ${schools}`);
  promises.check(read === processes * schools, "every call succeeds", JSON.stringify(told.map((one) => one?.failures)));
  await place.close();
  return { processes, schools, refreshes: refreshes.length, read };
}

async function killAtEachStep(folder: string, promises: Promises, most: number) {
  const sum = { kills: 0, lost: 0, lockedOut: 0, spentSent: 0 };
  // Processes die at every step of a login and of a refresh, with both kinds of rotation, until there have been enough
  // kills.
  while (sum.kills < most) {
    for (const [rotation, isLogin] of [
      ["at once", false],
      ["when used", false],
      ["at once", true],
    ] as const) {
      for (let diesAt = 1; sum.kills < most; diesAt++) {
        const isKilled = await killedAt(folder, promises, { rotation, isLogin, diesAt, name: `${sum.kills}` }, sum);
        if (!isKilled) break;
      }
    }
  }
  return sum;
}

interface Kill {
  readonly rotation: "at once" | "when used";
  readonly isLogin: boolean;
  readonly diesAt: number;
  readonly name: string;
}

async function killedAt(
  folder: string,
  promises: Promises,
  { rotation, isLogin, diesAt, name }: Kill,
  sum: { kills: number; lost: number; lockedOut: number; spentSent: number },
): Promise<boolean> {
  const place = new Place(folder, `killed-${name}-${rotation.replace(" ", "-")}-${diesAt}`);
  await place.open(1, rotation);
  const [[school, sandbox]] = [...place.sandboxes] as [[string, Sandbox]];
  let callback: string | null = null;
  if (isLogin) callback = await place.authorize(school);
  else {
    await place.connectAll();
    await place.passHour();
  }
  const where = `step ${diesAt} of a ${isLogin ? "login" : "refresh"}, ${rotation}`;
  const aheadMs = isLogin ? 0 : HOUR;
  const first = await place.run({ diesAt, callback, aheadMs });
  const after = await place.run({ aheadMs });
  const [failure] = after?.failures ?? ["no report"];
  if (failure === "reconnect_needed") {
    sum.lost++;
    const token = await place.refreshToken(school);
    const isKnown = token !== null && sandbox.oauth.knows(token);
    if (isKnown) sum.lockedOut++;
    promises.check(!isKnown, "no school is given up that still knows its refresh token", where);
    promises.check(rotation === "at once", "nothing is lost where a token ends with the use of its successor", where);
  } else if (failure !== undefined) {
    // The code of a login works only once, so the school is not connected if a kill lost the response.
    promises.check(isLogin && failure === "not_connected", "a school works after a kill", `${where}: ${failure}`);
  }
  const spent = sandbox.oauth.grants.filter((grant) => grant.spent && grant.type === "refresh_token").length;
  sum.spentSent += spent;
  promises.check(spent <= 1, "no refresh token is sent twice after it was spent", where);
  promises.check(
    spent === 0 || failure === "reconnect_needed",
    "a spent token is sent only where its answer was lost",
    where,
  );
  const again = await place.run({ aheadMs });
  promises.check(
    again?.failures[0] === failure && again?.read === after?.read,
    "the next process finds the same",
    `${where}: ${JSON.stringify(again)}`,
  );
  await place.close();
  if (first === null) sum.kills++;
  return first === null;
}

if (import.meta.main) await command(run);
