import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startProgram } from "./programs.js";

const root = fileURLToPath(new URL("../../", import.meta.url));
const guide = readFileSync(join(root, "docs/guides/webhooks.md"), "utf8");
const programs = new Map<string, string>();
for (const [, name, code] of guide.matchAll(/^```ts\n\/\/ (\S+\.ts)\n([\s\S]*?)^```$/gm)) programs.set(name!, code!);
const folder = mkdtempSync(join(tmpdir(), "webhooks-guide-"));
const env = { WEBHOOK_SECRET: "s3cret", PORT: "0" };

beforeAll(() => {
  for (const [name, code] of programs) writeFileSync(join(folder, name), code);
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
});

afterAll(() => rmSync(folder, { recursive: true }));

const runToTheEnd = async (name: string, more: Record<string, string> = {}) => {
  const program = startProgram(join(folder, name), { ...env, ...more });
  const code = await program.ended;
  return [code, ...program.output().trim().split("\n")];
};

describe("the webhooks guide", () => {
  it("has no block of TypeScript that is not one of its programs", () => {
    expect(guide.match(/^```ts$/gm)).toHaveLength(programs.size);
    expect(programs.size).toBe(6);
  });

  it("shows the durable receiver exactly as it stands in the examples", () => {
    expect(programs.get("receiver.ts")).toBe(readFileSync(join(root, "examples/webhooks-sqlite/receiver.ts"), "utf8"));
  });

  it("publishes no secret that a reader could deploy", () => {
    expect(guide).not.toMatch(/s3cret/i);
    for (const [name, code] of programs)
      expect(code, name).not.toMatch(/(?:SECRET\w*|secrets?)\s*(?:=|:|\?\?|\|\|)\s*["'`]/);
  });

  it("compiles", () => {
    const entry = (path: string) => [join(root, "src", path)];
    const config = {
      extends: join(root, "tsconfig.json"),
      compilerOptions: {
        typeRoots: [join(root, "node_modules/@types")],
        paths: {
          "education-admin-sdk": entry("index.ts"),
          "education-admin-sdk/webhooks": entry("webhooks/index.ts"),
          "education-admin-sdk/stores/sqlite": entry("stores/sqlite/index.ts"),
          "education-admin-sdk/sandbox": entry("sandbox/index.ts"),
        },
      },
      include: [join(folder, "*.ts")],
    };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
    const compiler = join(root, "node_modules/typescript/bin/tsc");
    const { stdout, error } = spawnSync(process.execPath, [compiler, "-p", folder, "--pretty", "false"], {
      encoding: "utf8",
    });
    expect(error).toBeUndefined();
    // The library's own types are checked elsewhere.
    const complaints = stdout
      .split("\n")
      .filter((line) => [...programs.keys()].some((name) => line.includes(`/${name}(`)));
    expect(complaints).toEqual([]);
  }, 180_000);

  it.each(["first-receiver.ts", "receiver.ts"])("%s receives what send.ts sends, and ends on SIGTERM", async (name) => {
    const receiver = startProgram(join(folder, name), { ...env, DATABASE: join(folder, "guide.sqlite") });
    const RECEIVER_URL = await receiver.printed(/http:\/\/\S+/);
    expect(await runToTheEnd("send.ts", { RECEIVER_URL })).toEqual([
      0,
      "invoice.updated 4071: 200",
      "course.deleted 12: 200",
      "invoice.updated 4072: 401",
    ]);
    expect(await receiver.end("SIGTERM")).toBe(0);
    if (name === "first-receiver.ts") {
      const said = receiver.output().split("\n").slice(1);
      expect(said.sort()).toEqual([
        "",
        "Deleted: course.deleted 12",
        "Refused with 401: wrong_signature",
        "invoice.updated: invoice 4071",
      ]);
    }
  });

  it("fetches one record for three events", async () => {
    const [code, ...said] = await runToTheEnd("fresh-records.ts");
    expect([code, said.at(-1)]).toEqual([0, "1 request for three events"]);
    expect(said).toContain("course.deleted: deleted");
  });

  it("verifies by hand, and loads as a route", async () => {
    expect(await runToTheEnd("verify.ts")).toEqual([0, "Verified with secret 1: user.merged", "Refused: too_old"]);
    expect(await runToTheEnd("route.ts")).toEqual([0, ""]);
  });
});
