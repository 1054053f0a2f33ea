import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { runCli } from "../../src/cli/cli-main.js";
import { definitionsIn } from "../../src/cli/types/definitions-in.js";
import { observedFields } from "../../src/cli/types/observe-fields.js";
import { fieldsOfQuestions, readSchool } from "../../src/cli/types/read-school.js";
import { changesOf } from "../../src/cli/types/school-changes.js";
import { schoolFile } from "../../src/cli/types/school-file.js";
import { MainClient } from "../../src/index.js";
import { createSandbox, type Sandbox, type SandboxOptions } from "../../src/sandbox/index.js";
import { listen } from "../../src/sandbox/node.js";
import { defineSchool, type SchoolDefinitions, type SchoolFields } from "../../src/school/index.js";
import { EVERY_KIND } from "../school/every-kind.js";

let folder: string;
let out: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "types-"));
  out = join(folder, "src", "school.ts");
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

interface Served {
  readonly sandbox: Sandbox;
  run(...args: string[]): Promise<{ status: number; stdout: string; stderr: string }>;
}

async function serve(options: SandboxOptions = {}): Promise<Served> {
  const sandbox = createSandbox({ size: "small", ...options });
  const { url, close } = await listen(sandbox);
  onTestFinished(() => close());
  const env = { EDUCATION_ADMIN_BASE_URL: url, EDUCATION_ADMIN_API_KEY: sandbox.apiKey };
  return {
    sandbox,
    async run(...args) {
      const written = { stdout: "", stderr: "" };
      const output = (name: keyof typeof written) => ({ write: (text: string) => (written[name] += text) });
      const status = await runCli(["types", ...args], { env, stdout: output("stdout"), stderr: output("stderr") });
      return { status, ...written };
    },
  };
}

describe("types", () => {
  test("writes a file that holds the school's definitions, in any order of theirs, and only when it changes", async () => {
    const { run, sandbox } = await serve({ school: defineSchool(EVERY_KIND) });
    const { status, stderr } = await run("--out", out);
    expect([status, stderr]).toEqual([0, "60 fields, 2 custom objects, 2 associations, in 4 requests\n"]);
    const text = readFileSync(out, "utf8");
    expect(changesOf(EVERY_KIND, definitionsIn(text) ?? {})).toEqual([]);
    const reversed = (value: unknown): unknown =>
      typeof value !== "object" || value === null || Array.isArray(value)
        ? value
        : Object.fromEntries(
            Object.entries(value)
              .reverse()
              .map(([key, inner]) => [key, reversed(inner)]),
          );
    expect(schoolFile(reversed(EVERY_KIND) as SchoolDefinitions)).toBe(text);
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
      `${schoolFile({}).replace("defineSchool({", "<<<<<<< HEAD\ndefineSchool({")}`.replace(/\(\{[\s\S]*$/, "("),
      "holds no definitions that this command can read",
    ],
  ])("does not overwrite a file %s, unless --force says so", async (_, text, reason) => {
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

  test("overwrites what it wrote, also after a formatter, below a comment of others, and an empty file", async () => {
    const { run } = await serve({ school: defineSchool(EVERY_KIND) });
    const file = join(folder, "school.ts");
    for (const text of ["", `/* eslint-disable */\n\n// (c) Example\n${schoolFile({}).replaceAll('"', "'")}`]) {
      writeFileSync(file, text);
      expect(await run("--out", file)).toMatchObject({ status: 0 });
      expect(readFileSync(file, "utf8")).toBe(schoolFile(EVERY_KIND));
    }
  });

  test("does not wait for a pipe, and reads no folder", async () => {
    const { run } = await serve();
    const pipe = join(folder, "pipe");
    execFileSync("mkfifo", [pipe]);
    for (const more of [[], ["--check"], ["--force"]]) {
      expect(await run("--out", pipe, ...more)).toMatchObject({
        status: 2,
        stderr: expect.stringContaining("is a named pipe; leave out --out and send the output there"),
      });
    }
    expect(await run("--out", folder)).toMatchObject({ status: 2, stderr: expect.stringContaining("is a folder") });
  });

  test("says how many there are in the right number", async () => {
    const { run } = await serve({
      school: defineSchool({ accounts: { colour: "string" } }),
      disabledFeatures: ["Custom objects"],
    });
    expect((await run("--out", out)).stderr).toContain("1 field, 0 custom objects, 0 associations, in 2 requests\n");
  });

  test("200 fields of three kinds of record make a file of at most 20 kB, in 3 requests and one per custom object", async () => {
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

  test("works without custom objects, and says so when the service refuses to list them", async () => {
    const { run, sandbox } = await serve({ disabledFeatures: ["Custom objects"] });
    const { status, stderr } = await run("--out", out);
    expect(status).toBe(0);
    expect(stderr).toContain("is the feature flag Custom objects disabled?");
    expect(sandbox.requests).toHaveLength(2);
    expect(readFileSync(out, "utf8")).not.toContain("objects:");
  });

  test("reads the fields of objects that the list leaves out", async () => {
    const sandbox = createSandbox({ size: "small", school: defineSchool(EVERY_KIND) });
    // The service's own list has no fields, the sandbox's has.
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

  test("adds the fields that only records show with --observe, from no more pages than asked for", async () => {
    const { run, sandbox } = await serve({ size: 500 });
    sandbox.store.accounts.update(3, { custom: { ...sandbox.store.accounts.get(3)?.custom, crm_id: 12, vip: true } });
    sandbox.store.accounts.update(4, { custom: { ...sandbox.store.accounts.get(4)?.custom, crm_id: 13 } });
    expect((await run("--out", out, "--observe", "accounts", "--pages", "2")).status).toBe(0);
    expect(sandbox.requests.filter(({ operation }) => operation === "accounts.list")).toHaveLength(2);
    const text = readFileSync(out, "utf8");
    expect(text).toContain('crm_id: { type: "decimal", observed: true },');
    expect(text).toContain("vip: boolean;");
    // They are no difference for a check that observes nothing.
    expect((await run("--out", out, "--check")).status).toBe(0);
  });

  test("refuses wrong arguments and files without definitions", async () => {
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

describe("--check", () => {
  interface Case {
    readonly kind: string;
    readonly line: string;
    change(sandbox: Sandbox): void;
  }

  const question = (sandbox: Sandbox, slug: string) => {
    const found = sandbox.store.signupQuestions.find((row) => row.slug === slug && row.for_type === "account");
    if (!found) throw new Error(slug);
    return found.id;
  };
  const options = (sandbox: Sandbox, value: string) => {
    const found = sandbox.store.customFieldOptions.find(
      (row) => row.value === value && row.field_slug === "sector" && row.object_type === "accounts",
    );
    if (!found) throw new Error(value);
    return found.id;
  };
  const fields = (sandbox: Sandbox, change: (fields: { slug: string }[]) => object[]) => {
    const object = sandbox.store.customObjects.find(({ slug }) => slug === "vehicles");
    if (!object) throw new Error("vehicles");
    sandbox.store.customObjects.update(object.id, { fields: change(object.fields ?? []) as never });
  };
  const association = (sandbox: Sandbox) =>
    sandbox.store.customAssociations.find(({ slug }) => slug === "vehicle")?.id ?? 0;

  const cases: Case[] = [
    {
      kind: "field added",
      line: "+ accounts.shoe: field added (decimal)",
      change: ({ store }) =>
        store.signupQuestions.insert({ for_type: "account", slug: "shoe", title: "Shoe", field_type: "decimal" }),
    },
    {
      kind: "field removed",
      line: "- accounts.vat: field removed (vat_number)",
      change: (s) => s.store.signupQuestions.delete(question(s, "vat")),
    },
    {
      kind: "field type",
      line: "~ accounts.vat: field type (vat_number → string)",
      change: (s) => s.store.signupQuestions.update(question(s, "vat"), { field_type: "string" }),
    },
    {
      kind: "field title",
      line: '~ accounts.vat: field title (the slug in words → "VAT")',
      change: (s) => s.store.signupQuestions.update(question(s, "vat"), { title: "VAT" }),
    },
    {
      kind: "field required",
      line: "~ accounts.vat: field required (now required)",
      change: (s) => s.store.signupQuestions.update(question(s, "vat"), { required: true }),
    },
    {
      kind: "option added",
      line: '+ accounts.sector: option added ("government")',
      change: ({ store }) =>
        store.customFieldOptions.insert({
          object_type: "accounts",
          field_slug: "sector",
          value: "government",
          enabled: true,
        }),
    },
    {
      kind: "option removed",
      line: '- accounts.sector: option removed ("care")',
      change: (s) => s.store.customFieldOptions.delete(options(s, "care")),
    },
    {
      kind: "option disabled",
      line: '~ accounts.sector: option disabled ("care")',
      change: (s) => s.store.customFieldOptions.update(options(s, "care"), { enabled: false }),
    },
    {
      kind: "object added",
      line: "+ objects.rooms: object added",
      change: ({ store }) => store.customObjects.insert({ slug: "rooms", fields: [] }),
    },
    {
      kind: "object removed",
      line: "- objects.vehicles: object removed",
      change: ({ store }) =>
        store.customObjects.delete(store.customObjects.find(({ slug }) => slug === "vehicles")?.id ?? 0),
    },
    {
      kind: "object field added",
      line: "+ objects.vehicles.doors: object field added (decimal)",
      change: (s) => fields(s, (all) => [...all, { id: 99, slug: "doors", title: "Doors", field_type: "decimal" }]),
    },
    {
      kind: "object field removed",
      line: "- objects.vehicles.seats: object field removed (decimal)",
      change: (s) => fields(s, () => []),
    },
    {
      kind: "object field type",
      line: "~ objects.vehicles.seats: object field type (decimal → string)",
      change: (s) => fields(s, (all) => all.map((field) => ({ ...field, field_type: "string" }))),
    },
    {
      kind: "object field title",
      line: '~ objects.vehicles.seats: object field title (the slug in words → "Places")',
      change: (s) => fields(s, (all) => all.map((field) => ({ ...field, title: "Places" }))),
    },
    {
      kind: "association added",
      line: "+ associations.catalog_products.truck: association added (to vehicles)",
      change: ({ store }) =>
        store.customAssociations.insert({
          object_type: "catalog_products",
          slug: "truck",
          name: "Truck",
          custom_object: { id: 2, slug: "vehicles", name_singular: "Vehicle", name_plural: "Vehicles" },
        }),
    },
    {
      kind: "association removed",
      line: "- associations.catalog_variants.vehicle: association removed (to vehicles)",
      change: (s) => s.store.customAssociations.delete(association(s)),
    },
    {
      kind: "association object",
      line: "~ associations.catalog_variants.vehicle: association object (vehicles → equipment)",
      change: (s) =>
        s.store.customAssociations.update(association(s), {
          custom_object: { id: 1, slug: "equipment", name_singular: "Equipment", name_plural: "Equipment" },
        }),
    },
  ];

  test.each(cases)("finds this kind of change: $kind", async ({ change, line }) => {
    const { run, sandbox } = await serve({ school: defineSchool(EVERY_KIND) });
    await run("--out", out);
    const before = readFileSync(out, "utf8");
    expect((await run("--check", "--out", out)).status).toBe(0);
    change(sandbox);
    const { status, stdout, stderr } = await run("--check", "--out", out);
    expect(stdout).toBe(`  ${line}\n`);
    expect(stderr).toContain("is out of date: 1 difference.");
    expect(status).toBe(1);
    expect(readFileSync(out, "utf8")).toBe(before);
    await run("--out", out);
    expect((await run("--check", "--out", out)).status).toBe(0);
  });

  test("reads the file as a formatter may have left it", async () => {
    const { run } = await serve({ school: defineSchool(EVERY_KIND) });
    await run("--out", out);
    const text = readFileSync(out, "utf8")
      .replace(/"(care|education|weight|boolean|decimal|equipment)"/g, "'$1'")
      .replaceAll(", options: [", ",\n  // what can be chosen\n  options: [\r\n")
      .replaceAll("] }", "],\n}")
      .replace("= defineSchool(", "= defineSchool< School >\n(");
    writeFileSync(out, text);
    expect((await run("--check", "--out", out)).status).toBe(0);
  });
});

describe("a file", () => {
  test("holds any slug, title and option the service may have", () => {
    const definitions: SchoolDefinitions = {
      accounts: Object.fromEntries([
        ["with space", { type: "string", title: "*/ alert(1) /*" }],
        ["quote\"'\\", { type: "select", options: ['a"b', "c'd", "e\\f", "g\nh", "ü😀"] }],
        ["1st", "boolean"],
        ["class", "text"],
        ["newer", "colour"],
      ]),
      objects: JSON.parse('{"__proto__": {"__proto__": "string"}}'),
    };
    const text = schoolFile(definitions);
    expect(changesOf(definitions, definitionsIn(text) ?? {})).toEqual([]);
    expect(Object.keys(definitionsIn(text)?.objects ?? {})).toEqual(["__proto__"]);
    expect(text).toContain("/** *\\/ alert(1) /* */");
    expect(text).toContain("newer: string | number | boolean | readonly string[];");
  });

  test("has one field where two questions have the same slug: that of the older question", () => {
    const question = { field_type: "string", title: "A", slug: "a", for_type: "account", choices: [], required: false };
    const questions = [
      { ...question, id: 2, field_type: "boolean" },
      { ...question, id: 1 },
      { ...question, id: 3, for_type: "spaceship" },
    ];
    expect(fieldsOfQuestions(questions as never)).toEqual({ accounts: { a: { type: "string" } } });
  });

  test("takes unknown for observed fields whose values tell nothing", () => {
    const found = observedFields([
      { a: null, b: 1, c: ["x"], d: true },
      { a: null, b: "1", c: null, d: false },
    ]);
    expect(Object.fromEntries([...found].map(([slug, { type }]) => [slug, type]))).toEqual({
      a: "unknown",
      b: "unknown",
      c: "multiselect",
      d: "boolean",
    });
  });

  test("is not run when it is read", () => {
    for (const text of [
      "",
      "defineSchool(",
      "defineSchool(make())",
      "defineSchool({ a: `x` })",
      "defineSchool({ a: 1 })",
    ]) {
      expect(definitionsIn(text), text).toBeNull();
    }
    expect(existsSync(out)).toBe(false);
  });
});
