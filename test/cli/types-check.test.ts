import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import type { Sandbox } from "../../src/sandbox/index.js";
import { defineSchool } from "../../src/school/index.js";
import { EVERY_KIND } from "../school/every-kind.js";
import { drawCases } from "../support/amount.js";
import { serve, temporaryFolder } from "./types-support.js";

let out: string;
beforeEach(() => {
  out = join(temporaryFolder(), "src", "school.ts");
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

  test.each(drawCases(cases, 6))("finds a change of this kind: $kind", async ({ change, line }) => {
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

  test.each<[what: string, edit: (text: string) => string]>([
    ["an option is another", (text) => text.replace('"education" | ', '"edu" | ')],
    ["a field is of another type", (text) => text.replace("boolean;", "string;")],
    ["a field is missing", (text) => text.replace(/ {2}\w+: boolean;\n/, "")],
    ["it holds a conflict of a merge", (text) => `<<<<<<< HEAD\n${text}=======\n${text}>>>>>>> main\n`],
  ])("refuses a file whose types have been edited: %s", async (_, edit) => {
    const { run, sandbox } = await serve({ school: defineSchool(EVERY_KIND) });
    await run("--out", out);
    const text = readFileSync(out, "utf8");
    expect(edit(text)).not.toBe(text);
    writeFileSync(out, edit(text));
    const asked = sandbox.requests.length;
    const { status, stderr } = await run("--check", "--out", out);
    expect([status, stderr]).toEqual([1, expect.stringContaining("do not match its definitions")]);
    expect(sandbox.requests).toHaveLength(asked);
    await run("--out", out, "--force");
    expect((await run("--check", "--out", out)).status).toBe(0);
  });

  test("reads a file that a formatter has changed", async () => {
    const { run } = await serve({ school: defineSchool(EVERY_KIND) });
    await run("--out", out);
    const text = readFileSync(out, "utf8")
      .replace(/"(\w+)"( \||;|\))/g, "'$1'$2")
      .replace(/(\w): "/, '$1:\n    | "')
      .replaceAll("\n", "\r\n")
      .replace('"education-admin-sdk/school"', "'education-admin-sdk/school'")
      .replace("= defineSchool(", "=\r\n  defineSchool (\r\n    ");
    writeFileSync(out, text);
    expect((await run("--check", "--out", out)).status).toBe(0);
  });
});
