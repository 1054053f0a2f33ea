import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { transform } from "esbuild";
import { run } from "../lib/process.ts";

/** The repository's folder. */
export const ROOT: string = fileURLToPath(new URL("../..", import.meta.url));

const CONSUMERS = join(ROOT, "test/package");
const TARBALL = "education-admin-sdk.tgz";

/**
 * A temporary folder with the packed package. Consumers are copied into it and installed, each group once
 * and only on demand.
 */
export class Workspace {
  readonly folder: string;
  readonly #log: (line: string) => void;
  readonly #installed = new Map<string, Promise<string>>();
  #packed: Promise<string> | null = null;

  private constructor(folder: string, log: (line: string) => void) {
    this.folder = folder;
    this.#log = log;
  }

  static async create(log: (line: string) => void): Promise<Workspace> {
    return new Workspace(await mkdtemp(join(tmpdir(), "check-package-")), log);
  }

  /** The folder in which the package is built: a copy, so that the check does not touch the tree's dist. */
  get source(): string {
    return join(this.folder, "source");
  }

  /** Builds and packs the package once; returns the path of the tarball. */
  pack(): Promise<string> {
    this.#packed ??= this.#logTime("built and packed", async () => {
      // Building and packing read these folders and the files at the root, such as configurations and README.
      for (const folder of ["src", "scripts", "docs", "examples", "openapi", "skills"]) {
        await cp(join(ROOT, folder), join(this.source, folder), {
          recursive: true,
          filter: (path) => !/\/(node_modules|site)$/.test(path),
        });
      }
      for (const entry of await readdir(ROOT, { withFileTypes: true })) {
        // In a git worktree, .git is a file. If it were copied, commits made in the copy would go into the worktree.
        if (!entry.isFile() || entry.name === ".git") continue;
        await cp(join(ROOT, entry.name), join(this.source, entry.name));
      }
      await symlink(join(ROOT, "node_modules"), join(this.source, "node_modules"));
      await run("npm", ["run", "build"], { cwd: this.source });
      const out = await run("npm", ["pack", "--ignore-scripts", "--json", "--pack-destination", this.folder], {
        cwd: this.source,
      });
      const tarball = join(this.folder, TARBALL);
      await cp(join(this.folder, packedName(out)), tarball);
      return tarball;
    });
    return this.#packed;
  }

  /**
   * Copies a folder of consumers from test/package, installs the tarball and the dependencies of its package.json, and
   * returns the folder. No install script runs: no package here needs one.
   */
  install(group: string): Promise<string> {
    let folder = this.#installed.get(group);
    if (!folder) {
      folder = this.#install(group);
      this.#installed.set(group, folder);
    }
    return folder;
  }

  async #install(group: string): Promise<string> {
    await this.pack();
    const folder = join(this.folder, group);
    return this.#logTime(`installed ${group}`, async () => {
      await cp(join(CONSUMERS, group), folder, { recursive: true });
      await cp(join(CONSUMERS, "smoke.mjs"), join(folder, "smoke.mjs"));
      // Writes the signature vectors of the unit tests without their types, so that every runtime checks the same list.
      const vectors = await readFile(join(ROOT, "test/webhooks/vectors.ts"), "utf8");
      await writeFile(join(folder, "webhook-vectors.mjs"), (await transform(vectors, { loader: "ts" })).code);
      const flags = ["--prefer-offline", "--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts"];
      await run("npm", ["install", ...flags], { cwd: folder, timeout: 400_000 });
      return folder;
    });
  }

  /** The version of a package that a group has installed, by its name in package.json. */
  async versionOf(group: string, name: string): Promise<string> {
    const text = await readFile(join(this.folder, group, "node_modules", name, "package.json"), "utf8");
    return (JSON.parse(text) as { version: string }).version;
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }

  async #logTime<T>(what: string, work: () => Promise<T>): Promise<T> {
    const started = performance.now();
    const result = await work();
    this.#log(`${what} in ${((performance.now() - started) / 1000).toFixed(1)} s`);
    return result;
  }
}

// npm 11 prints a list, npm 12 an object by package name.
function packedName(json: string): string {
  const parsed = JSON.parse(json.slice(json.search(/[[{]/))) as Record<string, { filename: string }>;
  const [entry] = Object.values(parsed);
  if (!entry) throw new Error("npm pack named no file");
  return entry.filename;
}
