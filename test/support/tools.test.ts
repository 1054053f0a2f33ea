import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

let folder: string;
let tools: typeof import("./tools.js");

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "tools-"));
  writeFileSync(join(folder, "redis-server"), "");
  chmodSync(join(folder, "redis-server"), 0o755);
  vi.stubEnv("PATH", folder);
  vi.stubEnv("CI", undefined);
  vi.stubEnv("WITHOUT_TOOLS", undefined);
  // A process prints each reason once.
  vi.resetModules();
  tools = await import("./tools.js");
});

afterEach(() => {
  vi.unstubAllEnvs();
  vi.resetModules();
  rmSync(folder, { recursive: true });
});

describe("a tool that a test needs", () => {
  test("is found on the path", () => {
    expect(tools.needs("redis")).toEqual({});
    expect(tools.pathOf("redis")).toBe(join(folder, "redis-server"));
  });

  test("is missing if its file cannot be executed", () => {
    chmodSync(join(folder, "redis-server"), 0o644);
    vi.spyOn(console, "warn").mockReturnValue(undefined);
    expect(tools.reportMissing("redis")).toBe("Redis is not installed (Debian: apt-get install redis-server)");
  });

  test("skips the test, and prints the reason once", () => {
    const warn = vi.spyOn(console, "warn").mockReturnValue(undefined);
    for (let times = 0; times < 2; times++) {
      expect(tools.needs("python", "redis")).toEqual({ skip: true, meta: { missingTools: ["python"] } });
    }
    expect(warn.mock.calls).toEqual([["Not tested: Python 3 is not installed (Debian: apt-get install python3)"]]);
    expect(() => tools.pathOf("python")).toThrow("Python 3 is not installed");
  });

  test("fails under CI=true", () => {
    vi.stubEnv("CI", "true");
    expect(() => tools.needs("python")).toThrow("Python 3 is not installed");
    expect(tools.needs("redis")).toEqual({});
  });

  test.each(["all", "redis", "python,redis"])("is hidden by WITHOUT_TOOLS=%s even if it is installed", (names) => {
    vi.stubEnv("WITHOUT_TOOLS", names);
    vi.spyOn(console, "warn").mockReturnValue(undefined);
    expect(tools.reportMissing("redis")).toContain("hidden by WITHOUT_TOOLS");
    expect(() => tools.pathOf("redis")).toThrow("hidden");
    vi.stubEnv("CI", "true");
    expect(() => tools.needs("redis")).toThrow("hidden");
  });
});
