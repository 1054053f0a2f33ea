import ts from "typescript";
import { beforeAll, describe, expect, it } from "vitest";
import { type Editor, openInEditor } from "../support/editor.js";

// Checks the tooltips that an editor shows, with the built declarations: types must be readable and have comments.

const TEXT = `
import { AdminClient, MainClient, RateLimitError } from "./index.js";
import { accountSchema, InvoiceStatus } from "./schemas.js";
const client = new MainClient();
const account = await client.accounts.get(7);
account.email;
account.account_type;
account.address?.city;
for await (const invoice of client.invoices.list({ status: ["open"] })) invoice.total_incl;
for await (const enrollment of client.enrollments.list().with({ student: true })) enrollment.student?.last_name;
const created = client.accounts.create({ name: "A", email: null });
const page = await client.organization.contacts.list({ per_page: 10 });
client.accounts.list({ page: 1 });
new AdminClient({ apiKey: "k", totalTimeout: 5 }).certificates.get(1);
declare const limited: RateLimitError; limited.resetAt;
accountSchema; InvoiceStatus.cast("x");
const paid: InvoiceStatus = "paid";
client.affiliations.delete(7);
`;

let editor: Editor;
let hovers: Editor["hover"];

beforeAll(() => {
  editor = openInEditor(TEXT);
  hovers = editor.hover;
  expect(editor.complaints()).toEqual([]);
}, 240_000);

describe("an editor shows", () => {
  it("Account, not its fields, over client.accounts.get, with its sentence and example", () => {
    const { type, comment, tags } = hovers("client.accounts.get");
    expect(type).toContain("(id: number, options?: RequestOptions): Call<Account>");
    expect(comment).toMatch(/^`GET .*\n\nReads one account\.$/);
    expect(tags.join()).toContain("await client.accounts.get(7)");
  });

  it("Account over a variable of that type", () => {
    expect(hovers("const account").type).toBe("const account: Account");
    expect(hovers("const page").type).toBe("const page: Page<Contact>");
    expect(hovers("const created").type).toBe("const created: Call<Account>");
    expect(hovers("const invoice").type).toBe("const invoice: Invoice");
  });

  it("a field's comment over the field", () => {
    expect(hovers("account.email")).toMatchObject({ comment: "Billing e-mail address." });
    expect(hovers("account.email").type).toContain("email: string | null");
    expect(hovers("account.account_type")).toMatchObject({ comment: "Kind of account: business or personal." });
    expect(hovers("invoice.total_incl").comment).toContain("as decimal text");
  });

  it("the comment of a field in a body, a query and an option", () => {
    expect(hovers("email: null", 0).comment).toBe("Billing e-mail address.");
    expect(hovers("per_page: 10", 0).comment).toContain("1 to 100");
    expect(hovers("totalTimeout", 0).comment).toContain("Milliseconds");
  });

  it("a comment over every field of every record, including shared ones", () => {
    const { fields, without } = fieldsWithoutText(editor);
    expect(fields).toBeGreaterThan(1_300);
    expect(without).toEqual([]);
  });

  it("a joined record and its fields after with()", () => {
    expect(hovers("student?.", 0).type).toContain("student: User | null");
    expect(hovers("last_name").comment).not.toBe("");
  });

  it("the comment of a schema, and that of an enumeration over its type", () => {
    expect(hovers("accountSchema;", 0).comment).toBe("Schema of {@link Account}.");
    expect(hovers("paid: InvoiceStatus", "paid: I".length).comment).toContain("Statuses of an invoice");
  });

  it("a deprecation, and the replacement", () => {
    expect(hovers("{ page: 1", 2).tags.join()).toMatch(/@deprecated .*cursor/);
  });

  it("void over operations without a response body, and the fields of errors", () => {
    expect(hovers("client.affiliations.delete").type).toContain("Call<void>");
    expect(hovers("limited.resetAt").type).toContain("resetAt: Date | null");
    expect(hovers("limited.resetAt").comment).not.toBe("");
  });

  it("the class of a resource over its property, with its sentence", () => {
    expect(hovers("client.accounts.get", "client.acc".length).type).toContain("accounts: Accounts");
    expect(hovers("InvoiceStatus.cast").comment).toContain("knows but this version of the library does not");
  });
});

/** Counts the fields of the interfaces that resources export, and lists the fields without a comment in the editor. */
function fieldsWithoutText({ program, declarationsOf }: Editor): { fields: number; without: string[] } {
  const checker = program.getTypeChecker();
  const file = program.getSourceFile(declarationsOf("index"));
  const module = file && checker.getSymbolAtLocation(file);
  if (!module) throw new Error("no declarations");
  const fields = checker
    .getExportsOfModule(module)
    .map((symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol))
    .filter((symbol) => symbol.flags & ts.SymbolFlags.Interface)
    .filter((symbol) => symbol.declarations?.[0]?.getSourceFile().fileName.includes("/resources/"))
    .flatMap((symbol) =>
      checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(symbol)).map((field) => ({
        name: `${symbol.name}.${field.name}`,
        text: ts.displayPartsToString(field.getDocumentationComment(checker)),
      })),
    );
  return { fields: fields.length, without: fields.filter(({ text }) => text === "").map(({ name }) => name) };
}
