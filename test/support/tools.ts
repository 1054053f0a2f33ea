import { spawnSync } from "node:child_process";
import { accessSync, constants, globSync } from "node:fs";
import { delimiter, join } from "node:path";

// Only this file looks for tools that `npm ci` does not install. A test without its tool is skipped with a printed
// reason, or fails under CI=true. WITHOUT_TOOLS hides installed tools: "all", or "redis,python".

const TOOLS = {
  bash: { title: "Bash", files: onPath("bash"), install: "Debian: apt-get install bash" },
  chromium: {
    title: "Chromium",
    files: () =>
      process.env.CHROMIUM_PATH === undefined
        ? onPath("chromium", "chromium-browser", "google-chrome")()
        : [process.env.CHROMIUM_PATH],
    install: "Debian: apt-get install chromium; or set CHROMIUM_PATH",
  },
  gnumeric: { title: "Gnumeric", files: onPath("ssconvert"), install: "Debian: apt-get install gnumeric" },
  libreoffice: { title: "LibreOffice", files: onPath("soffice"), install: "Debian: apt-get install libreoffice-calc" },
  fish: { title: "Fish", files: onPath("fish"), install: "Debian: apt-get install fish" },
  java: { title: "Java", files: onPath("java"), install: "Debian: apt-get install default-jre-headless" },
  pids: {
    title: "A container's process numbers",
    isGranted: true,
    files: () => (canUnshare("-Urpf", "true") ? onPath("unshare")() : []),
    install: "Linux with user namespaces, or root, and unshare of util-linux",
  },
  postgres: {
    title: "Postgres",
    // Debian does not put the server's programs on the PATH. The newest version comes last.
    files: () => [...globSync("/usr/lib/postgresql/*/bin/postgres").sort().reverse(), ...onPath("postgres")()],
    install: "Debian: apt-get install postgresql",
  },
  python: { title: "Python 3", files: onPath("python3"), install: "Debian: apt-get install python3" },
  redis: { title: "Redis", files: onPath("redis-server"), install: "Debian: apt-get install redis-server" },
  strace: {
    title: "strace",
    files: () => (canTrace() ? onPath("strace")() : []),
    install: "Debian: apt-get install strace, where one may trace",
    isGranted: true,
  },
  tmpfs: {
    title: "A disk in memory",
    isGranted: true,
    files: () => (canUnshare("-Urm", MOUNT) ? onPath("unshare")() : []),
    install: "Linux with user namespaces, or root, and unshare of util-linux",
  },
  zsh: { title: "Zsh", files: onPath("zsh"), install: "Debian: apt-get install zsh" },
} satisfies Record<string, Tooling>;

interface Tooling {
  title: string;
  files: () => string[];
  install: string;
  /**
   * True if the machine must also permit the tool, so that it may be missing after an installation; the test is then
   * skipped even under CI=true.
   */
  isGranted?: true;
}

export type Tool = keyof typeof TOOLS;

declare module "vitest" {
  interface TaskMeta {
    /** Tools whose absence skips a test. */
    missingTools?: readonly Tool[];
  }
}

const warned = new Set<Tool>();

/**
 * The options of a test or a suite that needs tools; it is skipped if one is missing.
 * @throws Error under CI=true if a tool is missing that can be installed.
 */
export function needs(...tools: readonly Tool[]): { skip?: true; meta?: { missingTools: readonly Tool[] } } {
  const missingTools = tools.filter((tool) => reportMissing(tool) !== null);
  return missingTools.length === 0 ? {} : { skip: true, meta: { missingTools } };
}

/**
 * The reason why a tool is missing, printed once per process; null if the tool is available. @throws Error under
 * CI=true if the tool is missing and can be installed.
 * @throws Error under CI=true if the tool is missing and can be installed.
 */
export function reportMissing(tool: Tool): string | null {
  const reason = missingReason(tool);
  if (reason === null) return null;
  if (process.env.CI === "true" && !("isGranted" in TOOLS[tool])) throw new Error(reason);
  if (!warned.has(tool)) console.warn(`Not tested: ${reason}`);
  warned.add(tool);
  return reason;
}

/**
 * The path of a tool's program.
 * @throws Error if the tool is missing.
 */
export function pathOf(tool: Tool): string {
  const path = find(tool);
  if (path === undefined) throw new Error(missingReason(tool) ?? tool);
  return path;
}

/** The reason why a tool is missing, and how to install it; null if the tool is available. */
export function missingReason(tool: Tool): string | null {
  if (find(tool) !== undefined) return null;
  const { title, install } = TOOLS[tool];
  const hidden = isHidden(tool) ? "hidden by WITHOUT_TOOLS" : "not installed";
  return `${title} is ${hidden} (${install})`;
}

function canTrace(): boolean {
  const strace = onPath("strace")().find(isProgram);
  return strace !== undefined && spawnSync(strace, ["-o", "/dev/null", "true"], { stdio: "ignore" }).status === 0;
}

const MOUNT = 'd=$(mktemp -d) && mount -t tmpfs tmpfs "$d"; s=$?; umount "$d"; rmdir "$d"; exit $s';

function canUnshare(what: string, command: string): boolean {
  const unshare = onPath("unshare")().find(isProgram);
  return unshare !== undefined && spawnSync(unshare, [what, "sh", "-c", command], { stdio: "ignore" }).status === 0;
}

function find(tool: Tool): string | undefined {
  return isHidden(tool) ? undefined : TOOLS[tool].files().find(isProgram);
}

function isHidden(tool: Tool): boolean {
  const names = (process.env.WITHOUT_TOOLS ?? "").split(",");
  return names.includes("all") || names.includes(tool);
}

function onPath(...commands: readonly string[]): () => string[] {
  return () => {
    const folders = (process.env.PATH ?? "").split(delimiter);
    return commands.flatMap((command) => folders.map((folder) => join(folder, command)));
  };
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
