import { beforeAll, describe, expect, it, test } from "vitest";
import { type ContractApi, type ContractOperation, operations } from "../contract/support/contract-data.js";
import { type Editor, openInEditor } from "../support/editor.js";

// Checks the tooltip and the signature help of an editor for each method of each client.

const CLIENT = { main: "main", admin: "admin", organization: "main.organization" };
const PREFIX = { main: "/api/v1/", admin: "/api/v1/", organization: "/api/organization/" };
const NAME = { main: "Main", admin: "Admin", organization: "Organization" };
const methods = operations.flatMap((operation) =>
  operation.apis.map((api) => ({ operation, api, called: callText(operation, api) })),
);

let editor: Editor;

beforeAll(() => {
  const text = `import { AdminClient, MainClient, OrganizationClient } from "./index.js";
declare const main: MainClient; declare const admin: AdminClient;
new MainClient(/*main*/); new AdminClient(/*admin*/); new OrganizationClient(/*organization*/);
const list = main.accounts.list(); list.toArray(); list.take(); list.with(); main.accounts.getMany(); main.accounts.lookup(); main.request(); main.requestPages();
${methods.map(({ called }) => `${called});`).join("\n")}`;
  editor = openInEditor(text);
}, 240_000);

function callText({ resource, method_name }: ContractOperation, api: ContractApi): string {
  return `${CLIENT[api]}.${resource.replace(/^organization\./, "")}.${method_name}(`;
}

describe("an editor over each of the 395 methods", () => {
  it("all 395 are tested", () => expect(methods).toHaveLength(395));

  test.each(methods.map((method) => [method.called, method] as const))(
    "%s…)",
    (_called, { operation, api, called }) => {
      const { comment, tags } = editor.hover(called, called.length - 2);
      const [line = "", empty, sentence = ""] = comment.split("\n");
      const [http, apis = "", scopes, ...more] = line.split(" · ");
      expect(http).toBe(`\`${operation.method} ${PREFIX[api]}${operation.path}\``);
      expect(apis.split(/ and | API$/)).toContain(NAME[api]);
      expect(scopes).toMatch(/scopes? (`|not documented$)|^any token$/);
      const list = operation.response?.list === true;
      const paging = list ? [operation.paginated ? "pages by cursor" : "one page"] : [];
      const flag = operation.feature ? [`\`${operation.feature}\` feature flag`] : [];
      expect(more.filter((part) => !part.startsWith("beta"))).toEqual([...paging, ...flag]);
      if (operation.beta) expect(more).toContainEqual(expect.stringMatching(/^beta/));
      expect([empty, sentence]).toEqual(["", expect.stringMatching(/\w+/)]);
      expect(tags).toContainEqual(expect.stringMatching(/^@example/));
    },
  );

  test("both scopes are named if they differ between the two APIs", () => {
    expect(editor.hover("main.enrollments.list").comment.split("\n")[0]).toBe(
      "`GET /api/v1/enrollments` · Main and Admin API · Main: scope `orders:read`, Admin: scope `enrollments:read` · pages by cursor",
    );
    expect(editor.hover("main.invoices.list").comment.split("\n")[0]).toBe(
      "`GET /api/v1/invoices` · Main API · scope `invoices:read` · pages by cursor",
    );
  });
});

describe("each parameter has a text while arguments are typed", () => {
  test.each(methods.map(({ called }) => called))("%s", (method) => {
    const { comment, parameters } = editor.signatureAfter(method);
    expect(comment).toMatch(/^`(GET|POST|PUT|DELETE) /);
    expect(Object.keys(parameters)).toContain("options");
    for (const [name, text] of Object.entries(parameters)) expect(text, name).toMatch(/\w+ \w+/);
  });

  test.each([
    "list.toArray(",
    "list.take(",
    "list.with(",
    "main.accounts.getMany(",
    "main.accounts.lookup(",
    "main.request(",
    "main.requestPages(",
  ])("%s", (method) => {
    const { comment, parameters } = editor.signatureAfter(method);
    expect(comment).toMatch(/\w+ \w+/);
    expect(Object.keys(parameters).length).toBeGreaterThan(0);
    for (const [name, text] of Object.entries(parameters)) expect(text, name).toMatch(/\w+ \w+/);
  });

  test.each(["new MainClient(", "new AdminClient(", "new OrganizationClient("])(
    "%s has an explanation",
    (constructed) => {
      const { comment, parameters } = editor.signatureAfter(constructed);
      expect(comment).toMatch(/API; sends nothing/);
      expect(parameters.options).toContain("baseUrl");
    },
  );
});
