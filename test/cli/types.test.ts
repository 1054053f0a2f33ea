import { execFileSync } from "node:child_process";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { definitionsIn, schoolFile } from "../../src/cli/types/school-file.js";
import { MainClient } from "../../src/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { defineSchool, type SchoolDefinitions, type SchoolFields } from "../../src/school/index.js";
import { readSchool } from "../../src/school/read-school.js";
import { changesOf } from "../../src/school/school-changes.js";
import { EVERY_KIND } from "../school/every-kind.js";
import { serve, temporaryFolder } from "./types-support.js";

let folder: string;
let out: string;
beforeEach(() => {
  folder = temporaryFolder();
  out = join(folder, "src", "school.ts");
});

describe("types", () => {
  test("writes a file of the school's definitions, in any order of response, and only if they change", async () => {
    const { run, sandbox } = await serve({ school: defineSchool(EVERY_KIND) });
    const { status, stderr } = await run("--out", out);
    expect([status, stderr]).toEqual([
      0,
      expect.stringMatching(/ was written: 60 fields, 2 custom objects, 2 associations, in 4 requests\n$/),
    ]);
    const text = readFileSync(out, "utf8");
    expect(changesOf(EVERY_KIND, definitionsIn(text) ?? {})).toEqual([]);
    const reverseKeys = (value: unknown): unknown =>
      typeof value !== "object" || value === null || Array.isArray(value)
        ? value
        : Object.fromEntries(
            Object.entries(value)
              .reverse()
              .map(([key, inner]) => [key, reverseKeys(inner)]),
          );
    expect(schoolFile(reverseKeys(EVERY_KIND) as SchoolDefinitions)).toBe(text);
    expect(sandbox.requests.map(({ method }) => method)).toEqual(["GET", "GET", "GET", "GET"]);
    const { mtimeMs } = statSync(out);
    await run("--out", out);
    expect(statSync(out).mtimeMs).toBe(mtimeMs);
    expect((await run()).stdout).toBe(text);
  });

  test.each([
    ["written by hand", "export interface School {}\n", "was not written by this command"],
    ["that calls defineSchool itself", "export const school = defineSchool({});\n", "was not written by this command"],
    [
      "that it wrote and someone broke",
      schoolFile({}).replace("`{", "`<<<<<<< HEAD\n{"),
      "contains no definitions that this command can read",
    ],
  ])("overwrites a file %s only with --force", async (_, text, reason) => {
    const { run, sandbox } = await serve();
    const file = join(folder, "school.ts");
    writeFileSync(file, text);
    const refused = await run("--out", file);
    expect(refused).toMatchObject({ status: 1, stdout: "", stderr: expect.stringContaining(reason) });
    expect(refused.stderr).toContain("Nothing was written. Name another file, or replace this one with --force.");
    expect(sandbox.requests).toHaveLength(0);
    expect(readFileSync(file, "utf8")).toBe(text);
    expect((await run("--out", file, "--force")).status).toBe(0);
    expect((await run("--out", file, "--check")).status).toBe(0);
  });

  test("overwrites its own file, even after a formatter or below a user's comment, and an empty file", async () => {
    const { run } = await serve({ school: defineSchool(EVERY_KIND) });
    const file = join(folder, "school.ts");
    for (const text of ["", `/* eslint-disable */\n\n// (c) Example\n${schoolFile({}).replaceAll('"', "'")}`]) {
      writeFileSync(file, text);
      expect(await run("--out", file)).toMatchObject({ status: 0 });
      expect(readFileSync(file, "utf8")).toBe(schoolFile(EVERY_KIND));
    }
  });

  test("neither waits for a pipe nor reads a folder", async () => {
    const { run } = await serve();
    const pipe = join(folder, "pipe");
    execFileSync("mkfifo", [pipe]);
    for (const more of [[], ["--check"], ["--force"]]) {
      expect(await run("--out", pipe, ...more)).toMatchObject({
        status: 2,
        stderr: expect.stringContaining(
          "is a named pipe; leave out --out and redirect the output: education-admin-sdk types … > ",
        ),
      });
    }
    expect(await run("--out", folder)).toMatchObject({ status: 2, stderr: expect.stringContaining("is a folder") });
  });

  test("prints singular and plural forms correctly", async () => {
    const { run } = await serve({
      school: defineSchool({ accounts: { colour: "string" } }),
      disabledFeatures: ["Custom objects"],
    });
    expect((await run("--out", out)).stderr).toContain("1 field, 0 custom objects, 0 associations, in 2 requests\n");
  });

  test("200 fields on three kinds of record make a file of at most 20 kB, from 3 requests plus one per custom object", async () => {
    const types = [
      "boolean",
      "datepicker",
      "decimal",
      "phone",
      "select",
      "multiselect",
      "ssn",
      "string",
      "text",
      "vat_number",
    ];
    const some = (count: number): SchoolFields =>
      Object.fromEntries(
        Array.from({ length: count }, (_, at) => {
          const type = types[at % types.length] ?? "string";
          const options = { options: ["first", "second", "third"] };
          const title = at % 5 === 0 ? { title: `Which is your question ${at}?` } : {};
          return [`question_${at}`, { type, ...(type.endsWith("select") && options), ...title }];
        }),
      );
    const objects = { equipment: { weight: "decimal" }, rooms: { seats: "decimal" } };
    const school = defineSchool({ accounts: some(67), users: some(67), orders: some(66), objects });
    const { run, sandbox } = await serve({ school });
    expect((await run("--out", out)).status).toBe(0);
    expect(sandbox.requests.length).toBeLessThanOrEqual(3 + 2);
    expect(statSync(out).size).toBeLessThanOrEqual(20_000);
    expect((await run("--check", "--out", out)).status).toBe(0);
  });

  test("works without custom objects, and says if the service refuses to list them", async () => {
    const { run, sandbox } = await serve({ disabledFeatures: ["Custom objects"] });
    const { status, stderr } = await run("--out", out);
    expect(status).toBe(0);
    expect(stderr).toContain("is the `Custom objects` feature flag disabled?");
    expect(sandbox.requests).toHaveLength(2);
    expect(readFileSync(out, "utf8")).not.toContain("objects:");
  });

  test("reads the fields of objects that the list leaves out", async () => {
    const sandbox = createSandbox({ size: "small", school: defineSchool(EVERY_KIND) });
    // The service's list leaves the fields out; the sandbox's list includes them.
    const client = new MainClient({
      ...sandbox,
      fetch: async (url, init) => {
        const response = await sandbox.fetch(url, init);
        if (!/custom\/objects\?/.test(url)) return response;
        const objects = ((await response.json()) as object[]).map((object) => ({ ...object, fields: undefined }));
        return new Response(JSON.stringify(objects), response);
      },
    });
    const { definitions } = await readSchool(client);
    expect(sandbox.requests).toHaveLength(6);
    expect(definitions.objects).toEqual({
      equipment: { weight: { type: "decimal" }, "serial-number": { type: "string", title: "Number on the label" } },
      vehicles: { seats: { type: "decimal" } },
    });
  });

  test("keeps only safe parts of a response of unknown form, and says so", async () => {
    const sandbox = createSandbox({ size: "small", school: defineSchool(EVERY_KIND) });
    const changed: Record<string, (entry: Record<string, unknown>) => unknown> = {
      signup_questions: (entry) => ({ ...entry, choices: entry.field_type === "select" ? null : {} }),
      "custom/objects": (entry) =>
        entry.slug === "vehicles" ? { ...entry, fields: [null, { slug: "seats" }] } : entry,
      "/associations": (entry) => ({ ...entry, custom_object: null }),
    };
    const client = new MainClient({
      ...sandbox,
      validation: "off",
      fetch: async (url, init) => {
        const response = await sandbox.fetch(url, init);
        const change = Object.entries(changed).find(([path]) => String(url).includes(path))?.[1];
        const records: unknown = await response.json();
        return new Response(JSON.stringify(change && Array.isArray(records) ? records.map(change) : records), response);
      },
    });
    const { definitions, notes } = await readSchool(client);
    expect(definitions.accounts).not.toEqual({});
    expect(JSON.stringify(definitions)).not.toContain('"options"');
    expect(definitions.objects?.vehicles).toEqual({ seats: { type: "unknown" } });
    expect(definitions.associations).toBeUndefined();
    expect(notes).toContain("A field of the custom object vehicles has no slug, so it is left out.");
    expect(notes).toContain("The association equipment of catalog_products names no custom object, so it is left out.");
    expect(notes).toContainEqual(
      expect.stringMatching(/^The sign-up question ".*" \(\d+\) has choices that are not a list of strings/),
    );
  });

  test("adds fields found only in records with --observe, and reads no more pages than requested", async () => {
    const { run, sandbox } = await serve({ size: 500 });
    sandbox.store.accounts.update(3, { custom: { ...sandbox.store.accounts.get(3)?.custom, crm_id: 12, vip: true } });
    sandbox.store.accounts.update(4, { custom: { ...sandbox.store.accounts.get(4)?.custom, crm_id: 13 } });
    expect((await run("--out", out, "--observe", "accounts", "--pages", "2")).status).toBe(0);
    expect(sandbox.requests.filter(({ operation }) => operation === "accounts.list")).toHaveLength(2);
    const text = readFileSync(out, "utf8");
    expect(text).toContain('"crm_id": {"type":"decimal","observed":true}');
    expect(text).toContain("vip: boolean;");
    // A check without --observe does not count observed fields as a difference.
    expect((await run("--out", out, "--check")).status).toBe(0);
  });

  test("refuses wrong arguments, and files that contain no definitions", async () => {
    const { run, sandbox } = await serve();
    expect(await run("--check")).toMatchObject({ status: 2, stderr: expect.stringContaining("--check needs --out") });
    expect(await run("--observe", "invoices")).toMatchObject({ status: 2 });
    expect(await run("--pages", "0")).toMatchObject({ status: 2 });
    expect(await run("--key", "x")).toMatchObject({ status: 2 });
    expect(await run("--check", "--out", out)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("does not exist"),
    });
    const other = join(folder, "other.ts");
    writeFileSync(other, "export const school = 1;\n");
    expect(await run("--check", "--out", other)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("no definitions"),
    });
    expect(sandbox.requests).toEqual([]);
    expect((await run("--help")).stdout).toContain("--observe");
  });
});
