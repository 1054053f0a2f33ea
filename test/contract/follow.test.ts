import { readFileSync } from "node:fs";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import { bumpOf, compare, type Fact } from "../../scripts/follow/compare.ts";
import { ownDocuments, readDocument } from "../../scripts/follow/contract.ts";
import { Drafts } from "../../scripts/follow/draft.ts";
import { changesetOf, factsOf, factsOfReport, placesOf } from "../../scripts/follow/follow.ts";
import { ROOT } from "../../scripts/lib/generated.ts";
import { fieldsOf } from "../../scripts/lib/source-index.ts";

type Node = { [name: string]: Node } & unknown[];

const own = ownDocuments();
const published = (api: "main" | "admin") => JSON.parse(read(`openapi/${api}.json`)) as Node;

function read(path: string): string {
  return readFileSync(ROOT + path, "utf8");
}

/** The facts if the documents of the Main and the Admin API change in the same way. */
function factsAfter(change: (document: Node) => void): Fact[] {
  const changed = (["main", "admin"] as const).map((api) => {
    const document = published(api);
    change(document);
    return readDocument(`${api}.json`, JSON.stringify(document));
  });
  return compare(own, Object.fromEntries(changed));
}

const schemaOf = (document: Node, name: string) => document.components?.schemas?.[name] as Node;
const fieldOf = (document: Node, name: string, field: string) => schemaOf(document, name).properties?.[field] as Node;
const rowOf = (document: Node, path: string, method: string) => document.paths?.[path]?.[method] as Node;
const omit = (list: Node, value: string) => list.splice((list as unknown[]).indexOf(value), 1);

const CHANGES: Readonly<Record<string, [change: (document: Node) => unknown, fact: string, inSource: RegExp | null]>> =
  {
    "a new field": [
      (document) =>
        Object.assign(schemaOf(document, "Account").properties as Node, {
          vat: { type: "string", nullable: true, description: "Number for\n VAT." },
        }),
      "minor field new Account.vat",
      /FOLLOW: Number for VAT\. Then choose its class[^\n]*\n {2}vat: z.optional\(z.nullable\(z.string\(\)\)\), \/\/ note/,
    ],
    "a new field of a nested input": [
      (document) =>
        Object.assign(schemaOf(document, "LeadProductPayload").properties as Node, {
          due: { type: "string", format: "date" },
        }),
      "minor field new LeadProductPayload.due",
      / {2}due: z.optional\(dateInput\(\)\),\n/,
    ],
    "a new field of one of two bodies": [
      (document) =>
        Object.assign(schemaOf(document, "LabelUpdate").properties as Node, { hidden: { type: "boolean" } }),
      "minor field new labels.update body.hidden",
      /labelUpdateSchema = [^\n]*\n {2}\.\.\.partial\(labelFields\(\)\),\n[^\n]*\n {2}hidden: z.optional\(z.boolean\(\)\)/,
    ],
    "a new field of both bodies of a resource that has a table per API": [
      (document) =>
        ["TaskCreate", "TaskUpdate"].map((name) =>
          Object.assign(schemaOf(document, name).properties as Node, { hidden: { type: "boolean" } }),
        ),
      "minor field new tasks.create body.hidden, minor field new tasks.update body.hidden",
      /hidden: z.optional\(z.boolean\(\)\),\n\}\);\n\nexport const taskCreateSchema = [^\n]*model\(bodyFields\)/,
    ],
    "a new record in a record": [
      (document) => {
        const meta = {
          type: "object",
          properties: { title: { type: "string", nullable: true }, rank: { type: "integer" } },
        };
        Object.assign(document.components?.schemas as Node, { CategoryMeta: { ...meta, required: ["title", "rank"] } });
        const category = schemaOf(document, "Category");
        Object.assign(category.properties as Node, { meta: { $ref: "#/components/schemas/CategoryMeta" } });
        category.required?.push("meta");
      },
      "minor field new Category.meta, minor record new CategoryMeta",
      /meta: ref<CategoryMeta>\(categoryMetaSchema\),[\s\S]*meta: \(\) => \(\{ title: null, rank: 1 \}\),/,
    ],
    "a new day in a record": [
      (document) =>
        Object.assign(schemaOf(document, "Label").properties as Node, { until: { type: "string", format: "date" } }),
      "minor field new Label.until",
      /until: z.optional\(date\(\)\), \/\/ note/,
    ],
    "a field that is gone": [
      (document) => delete schemaOf(document, "Account").properties?.phone,
      "major field gone Account.phone",
      /email: z.nullable\(z.string\(\)\), \/\/ contact\n {2}\/\*\* Kind of account/,
    ],
    "a field that can be null": [
      (document) => Object.assign(fieldOf(document, "Account", "name"), { nullable: true }),
      "review null Account.name",
      / {2}name: z.nullable\(z.string\(\)\), \/\/ name\n/,
    ],
    "a field that can be missing": [
      (document) => omit(schemaOf(document, "Account").required as Node, "name"),
      "review optional Account.name",
      / {2}name: z.optional\(z.string\(\)\), \/\/ name\n/,
    ],
    "a field of another type": [
      (document) => Object.assign(fieldOf(document, "Account", "users_count"), { type: "string", format: "decimal" }),
      "major type Account.users_count",
      / {2}users_count: decimal\(\), \/\/ plain\n/,
    ],
    "a text that becomes an object without a name, of a new enumeration": [
      (document) => {
        const kind = { $ref: "#/components/schemas/CourseLocationKind" };
        const name = { type: "object", properties: { full: { type: "string" }, kind }, required: ["full", "kind"] };
        Object.assign(document.components?.schemas as Node, {
          CourseLocationKind: { type: "string", enum: ["on_site"] },
        });
        Object.assign(schemaOf(document, "CourseLocation").properties as Node, { name });
      },
      [
        "major type CourseLocation.name",
        "minor record new CourseLocationName",
        "minor enumeration new CourseLocationKind",
      ].join(", "),
      /CourseLocationKind = [^\n]*\["on_site"\], \{ complete: false \}[\s\S]*courseLocationNameSchema = [^\n]*\n[^\n]*\n {2}full: z.string\(\), \/\/ note[\s\S]*name: ref<CourseLocationName>\(courseLocationNameSchema\), \/\/ plain/,
    ],
    "a deprecated field": [
      (document) => Object.assign(fieldOf(document, "Account", "phone"), { deprecated: true }),
      "minor deprecated Account.phone",
      /\* @deprecated FOLLOW: name the field[^\n]*\n {3}\*\/\n {2}phone:/,
    ],
    "a filter that must be sent": [
      (document) =>
        (rowOf(document, "/accounts", "get").parameters as Node).push({
          ...{ name: "city", in: "query", required: true, schema: { type: "string" } },
        } as never),
      "major field new accounts.list query.city",
      / {2}list\(query: AccountQuery, /,
    ],
    "a new value": [
      (document) => schemaOf(document, "LeadStatus").enum?.push("parked"),
      "minor value new LeadStatus.parked",
      /"archive", "parked"\]/,
    ],
    "a value that is gone": [
      (document) => omit(schemaOf(document, "LeadStatus").enum as Node, "lost"),
      "major value gone LeadStatus.lost",
      /"won", "archive"\]/,
    ],
    "a path that moves": [
      (document) => {
        const paths = document.paths as Node;
        paths["/enrollments/{id}/cancellation"] = paths["/enrollments/{id}/cancel"] as Node;
        delete paths["/enrollments/{id}/cancel"];
      },
      "patch path enrollments.cancel",
      /cancel: \{ method: "PUT", path: "enrollments\/\{id\}\/cancellation"/,
    ],
    "an operation that is gone": [
      (document) => delete document.paths?.["/labels/{id}"]?.delete,
      "major operation gone labels.delete",
      /^(?![\s\S]*(operations\.delete|labels\.delete|\bdelete: \{ method))[\s\S]*addToOrder\(/,
    ],
    "a new operation": [
      (document) => {
        const post = rowOf(document, "/accounts", "post");
        const archive = { ...post, operationId: "accounts.archive", "x-scopes": ["relations:modify"] };
        Object.assign(document.paths as Node, { "/accounts/{id}/archive": { post: archive } });
      },
      "minor operation new accounts.archive",
      /archive: \{ method: "POST", path: "accounts\/\{id\}\/archive", body: accountArchiveSchema[\s\S]*FOLLOW: Creates a business account/,
    ],
    "a new filter": [
      (document) =>
        (rowOf(document, "/accounts", "get").parameters as Node).push({
          ...{ name: "city", in: "query", schema: { type: "string" } },
        } as never),
      "minor field new accounts.list query.city",
      / {2}city: z.optional\(z.string\(\)\),\n/,
    ],
    "a filter that takes several values": [
      (document) => {
        const [, filter] = rowOf(document, "/enrollments", "get").parameters as Node;
        const { schema } = filter as Node;
        Object.assign(filter as Node, { style: "form", explode: true, schema: { type: "array", items: schema } });
      },
      "minor type enrollments.list query.planned_course_id",
      /planned_course_id: z.optional\(filterInput\(identifier\(\)\)\),/,
    ],
    "an input that must be sent": [
      (document) => (schemaOf(document, "AccountCreate").required as Node).push("email" as never),
      "major required accounts.create body.email",
      null,
    ],
    "another scope": [
      (document) => Object.assign(rowOf(document, "/labels", "get"), { "x-scopes": ["labels:read"] }),
      "review scopes labels.list",
      null,
    ],
  };

describe("a new description", () => {
  test("without differences gives no facts, even if its operations and schemas have other names", () => {
    expect(factsAfter(() => undefined)).toEqual([]);
    const text = read("openapi/main.json");
    const renamed = text.replaceAll('/schemas/Account"', '/schemas/Customer"').replace('"Account": {', '"Customer": {');
    const other = renamed.replaceAll(/"operationId": "accounts\.(\w+)"/g, '"operationId": "$1_customers"');
    expect(other).not.toBe(text);
    expect(compare(own, Object.fromEntries([readDocument("main.json", other)]))).toEqual([]);
    expect(factsOf([`${ROOT}test/contract/data`])).toEqual([]);
  });

  test.each(Object.entries(CHANGES))("with %s is named, weighed and drafted", (_, [change, expected, inSource]) => {
    const facts = factsAfter(change);
    expect(facts.map(({ severity, kind, where }) => `${severity} ${kind} ${where}`).join(", ")).toBe(expected);
    if (!inSource) return;
    const drafts = new Drafts(facts);
    expect(facts.map((fact) => drafts.draft(fact))).toEqual(facts.map(() => null));
    expect([...drafts.changes.values()].join("\n")).toMatch(inSource);
  });

  test("of one API is not drafted into a record that the other API has too", () => {
    const document = published("main");
    delete schemaOf(document, "Account").properties?.phone;
    const [fact] = compare(own, { ...own, main: readDocument("main.json", JSON.stringify(document))[1] });
    expect(fact && new Drafts([fact]).draft(fact)).toMatch(/^only the main API says so/);
  });

  test("that brings an operation to the other API says so, and nothing of the records that it returns", () => {
    const [main, admin] = [published("main"), published("admin")];
    Object.assign(main.paths as Node, { "/departments": admin.paths?.["/departments"] });
    Object.assign(main.components?.schemas as Node, { Department: schemaOf(admin, "Department") });
    const there = { ...own, main: readDocument("main.json", JSON.stringify(main))[1] };
    const linesOf = (facts: readonly Fact[]) =>
      facts.map(({ kind, where, apis }) => `${kind} ${where}: ${apis.join()}`);
    expect(linesOf(compare(own, there))).toEqual(["api new departments.list: main"]);
    expect(linesOf(compare(there, own))).toEqual(["api gone departments.list: main"]);
  });

  test("becomes a changeset in words for users, for the part of the version that its facts require", () => {
    const facts = factsAfter((document) => {
      delete schemaOf(document, "Account").properties?.phone;
      Object.assign(fieldOf(document, "Account", "name"), { nullable: true });
    });
    expect([bumpOf(facts), bumpOf(facts.slice(1)), bumpOf([])]).toEqual(["major", "minor", null]);
    expect(changesetOf(facts, "sdk")).toContain(
      '"sdk": major\n---\n\nFollow the service\'s new description:\n\n- **Needs a change in your code**: `phone` of Account is gone: code that names it no longer compiles.\n- **May need a change in your code**: `name` of Account can be null: check for it.',
    );
    const again = changesetOf(facts.slice(1), "sdk", changesetOf(facts.slice(0, 1), "sdk"));
    expect(again, "a second run keeps the lines of the first").toBe(changesetOf(facts, "sdk"));
  });

  test("that lacks an operation names the lines that write it as a text", () => {
    const [gone] = factsAfter((document) => delete document.paths?.["/teachers/{id}/deactivate"]);
    expect(gone && placesOf(gone).join("\n")).toMatch(
      /^src\/cli\/commands\/write\.ts:\d+ has the word of teachers\.deactivate$/m,
    );
  });

  test("of one of two bodies leaves the sentences of the other fields", () => {
    const text =
      "const fields = () => ({\n/** Its name. */\nname: 1 });\nconst shape = () => ({ ...partial(fields()),\n/** Hidden. */\nhidden: 2 });";
    const source = ts.createSourceFile("a.ts", text, ts.ScriptTarget.Latest, true);
    const [, second] = source.statements as unknown as [unknown, ts.VariableStatement];
    const shape = second.declarationList.declarations[0]?.initializer as ts.Node;
    expect([...fieldsOf(shape, [])].map(([name, doc]) => [name, doc.text])).toEqual([
      ["name", "Its name."],
      ["hidden", "Hidden."],
    ]);
  });

  test("can be drafted from a doctor's report about a school", () => {
    const seen = "accounts.mood (text, null in 20 %), tasks.done (boolean, null in 0 %)";
    const facts = factsOfReport(JSON.stringify({ api: "main", findings: [{ check: "unknown_fields", seen }] }));
    expect(facts.map(({ where, spec, words }) => [where, spec?.type, words.includes("seen at one school")])).toEqual([
      ["Account.mood", "string|null", true],
      ["Task.done", "boolean", true],
    ]);
  });
});
