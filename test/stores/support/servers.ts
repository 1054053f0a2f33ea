import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chownSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { pathOf } from "../../support/tools.ts";

/** A database server with its own folder, for one test run. */
export interface Server {
  readonly url: string;
  /** The process ID of the server's main process. */
  pid(): number;
  /** Kills the server, as a power cut would. */
  kill(): Promise<void>;
  /** Starts the server again on the same port, with the data on its disk. */
  start(): Promise<void>;
  /** Stops the server and removes its folder. */
  remove(): Promise<void>;
}

/** Starts a Redis server that writes its data to disk. */
export async function startRedis(): Promise<Server> {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), "stores-redis-"));
  const options = ["--port", `${port}`, "--bind", "127.0.0.1", "--dir", folder, "--appendonly", "yes", "--save", ""];
  return server(`redis://127.0.0.1:${port}`, folder, /Ready to accept connections/, () =>
    spawn(pathOf("redis"), options, { stdio: ["ignore", "pipe", "pipe"] }),
  );
}

/** A Postgres server with a second, empty disk on which a test can create a tablespace. */
export interface PostgresWithDisk extends Server {
  /** The empty folder where that disk is mounted. */
  readonly disk: string;
}

/**
 * Starts a Postgres that has a second, small disk in memory; needs the tool `tmpfs`. The data on that disk is lost when
 * the server ends.
 * @param size the size of the disk, in the format of `mount`
 */
export async function startPostgresWithDisk(size: string): Promise<PostgresWithDisk> {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), "stores-postgres-"));
  const [data, disk] = [join(folder, "data"), join(folder, "disk")];
  mkdirSync(disk);
  const program = pathOf("postgres");
  // Only root may mount a disk, but Postgres refuses to run as root, so Postgres runs as another user.
  const { uid, gid } = postgresUser();
  const asUser = ["-U", `--map-user=${uid}`, `--map-group=${gid}`];
  const init = [
    join(dirname(program), "initdb"),
    "-D",
    data,
    "-U",
    "postgres",
    "-A",
    "trust",
    "-E",
    "UTF8",
    "--no-sync",
  ];
  execFileSync(pathOf("tmpfs"), [...asUser, ...init], { cwd: folder, stdio: "pipe" });
  const mount = `mount -t tmpfs -o size=${size},mode=700 tmpfs "$0" && exec "$@"`;
  const run = [program, "-D", data, "-p", `${port}`, "-k", folder, "-c", "listen_addresses=127.0.0.1"];
  const started = await server(
    `postgres://postgres@127.0.0.1:${port}/postgres`,
    folder,
    /ready to accept connections/,
    () =>
      spawn(pathOf("tmpfs"), ["-Urm", "sh", "-c", mount, disk, pathOf("tmpfs"), ...asUser, ...run], {
        cwd: folder,
        stdio: ["ignore", "pipe", "pipe"],
      }),
  );
  return { ...started, disk };
}

/**
 * Starts a Postgres server with an empty database. Postgres refuses to run as root, so root starts it as the package's
 * user.
 */
export async function startPostgres(): Promise<Server> {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), "stores-postgres-"));
  const program = pathOf("postgres");
  const user = userInfo().uid === 0 ? postgresUser() : {};
  if (user.uid !== undefined && user.gid !== undefined) chownSync(folder, user.uid, user.gid);
  const data = join(folder, "data");
  const init = ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync"];
  execFileSync(join(dirname(program), "initdb"), init, { ...user, cwd: folder, stdio: "pipe" });
  const options = ["-D", data, "-p", `${port}`, "-k", folder, "-c", "listen_addresses=127.0.0.1"];
  return server(`postgres://postgres@127.0.0.1:${port}/postgres`, folder, /ready to accept connections/, () =>
    spawn(program, options, { ...user, cwd: folder, stdio: ["ignore", "pipe", "pipe"] }),
  );
}

async function server(url: string, folder: string, ready: RegExp, run: () => ChildProcess): Promise<Server> {
  let child: ChildProcess;
  const start = async () => {
    child = run();
    await waitForOutput(child, ready);
  };
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await ended;
    // Postgres's child processes need a moment to notice that their parent is gone; until then the server cannot start
    // again.
    await setTimeout(300);
  };
  await start();
  return {
    url,
    pid: () => child.pid ?? 0,
    kill,
    start,
    async remove() {
      await kill();
      rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    },
  };
}

function waitForOutput(child: ChildProcess, pattern: RegExp): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on("data", (chunk) => {
        output += chunk;
        if (pattern.test(output)) resolve();
      });
    }
    child.once("error", reject);
    child.once("exit", () => reject(new Error(`It ended without printing ${pattern}:\n${output}`)));
  });
}

function postgresUser(): { uid?: number; gid?: number } {
  const id = (option: string) => Number(execFileSync("id", [option, "postgres"], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
