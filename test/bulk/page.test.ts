import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { apply, plan, readCsv } from "../../src/bulk/node.js";
import { runCli } from "../../src/cli/main.js";
import { testFolder } from "./support/folder.js";
import { school } from "./support/school.js";

async function show(...args: string[]): Promise<{ status: number; text: string }> {
  let text = "";
  const output = {
    write: (more: string) => {
      text += more;
    },
  };
  const status = await runCli(["bulk", "show", ...args], { env: {}, stdout: output, stderr: output });
  return { status, text };
}

/** The rows of a page as the texts of their cells. */
function cells(html: string): string[][] {
  const body = html.slice(html.indexOf("<tbody>"));
  return body
    .split(/<tr class="\w+">/)
    .slice(1)
    .map((row) =>
      row
        .split(/<td[^>]*>/)
        .slice(1)
        .map((cell) =>
          (cell.split("</tbody>")[0] ?? "")
            .replace(/<br>|<p class="why">/g, " | ")
            .replace(/<[^>]+>/g, "")
            .trim(),
        ),
    );
}

test("keeps the direction of a text in its own cell", async () => {
  const at = testFolder();
  const { client } = school();
  writeFileSync(at("rows.csv"), "email,first_name,last_name\nnew@example.com,\u202eNew,Person\n");
  await plan(client.users, readCsv(at("rows.csv")), { to: at("a.plan"), key: "email" });
  await show(at("a.plan"), "--html", at("a.html"));
  expect(readFileSync(at("a.html"), "utf8")).toMatch(/<bdi>[^<]*New<\/bdi>/);
});

test("shows the planned change of each row, and later its outcome", async () => {
  const at = testFolder();
  const { client, sandbox } = school();
  const { email = "", first_name: first = "", last_name: last } = sandbox.store.users.get(2) ?? {};
  writeFileSync(
    at("rows.csv"),
    `E-mail,Name,Last\n${email},Changed,${last}\nnew@example.com,New,Person\nb@example.com,No last name,\n${sandbox.store.users.get(3)?.email},,\n`,
  );
  const columns = { email: "E-mail", first_name: "Name", last_name: "Last" } as const;
  const { digest } = await plan(client.users, readCsv(at("rows.csv")), { to: at("a.plan"), key: "email", columns });
  expect(await show(at("a.plan"), "--html", at("a.html"))).toEqual({
    status: 0,
    text: `Written: ${at("a.html")}. It holds the values of the rows, and only you can read it.\n`,
  });
  const before = readFileSync(at("a.html"), "utf8");
  expect(statSync(at("a.html")).mode & 0o777).toBe(0o600);
  chmodSync(at("a.html"), 0o640);
  expect((await show(at("a.plan"), "--html", at("a.html"))).text).toContain("others may be able to read it");
  expect(statSync(at("a.html")).mode & 0o777).toBe(0o640);
  expect(before).toContain(`approves plan <strong>${digest}</strong>`);
  expect(before).toContain("2 rows to be sent.");
  for (const count of ["1 to create", "1 to change", "1 refused", "1 unchanged"])
    expect(before).toContain(`> ${count}<`);
  expect(cells(before)).toEqual([
    ["4", "refused", "b@example.com", "No last name", "| is missing."],
    ["2", "to change | id 2", email, `${first} → Changed`, last],
    ["3", "to create", "new@example.com", "New", "Person"],
    ["5", "unchanged | id 3", sandbox.store.users.get(3)?.email, "", ""],
  ]);
  expect([...before.matchAll(/<th scope="col">([^<]+)/g)].map(([, title]) => title)).toEqual([
    "Row",
    "What",
    "E-mail",
    "Name",
    "Last",
  ]);

  sandbox.faults.next({ operation: "users.create", errors: { last_name: ["is taken"] } });
  await apply(client, at("a.plan"));
  await show(at("a.plan"), "--html", at("a.html"));
  const after = readFileSync(at("a.html"), "utf8");
  expect(after).toContain("Nothing is left to be sent.");
  expect(cells(after)).toEqual([
    ["3", "failed", "new@example.com", "New", "Person | is taken."],
    ["4", "refused", "b@example.com", "No last name", "| is missing."],
    ["2", "changed | id 2", email, `${first} → Changed`, last],
    ["5", "unchanged | id 3", sandbox.store.users.get(3)?.email, "", ""],
  ]);
});

test("gives a reason once if two fields share a column", async () => {
  const at = testFolder();
  const { client } = school();
  const columns = { first_name: "Name", last_name: "Name" };
  await plan(client.users, [{ email: "b@example.com", Name: "" }], { to: at("a.plan"), key: "email", columns });
  await show(at("a.plan"), "--html", at("a.html"));
  expect(cells(readFileSync(at("a.html"), "utf8"))[0]).toEqual(["1", "refused", "b@example.com", "| is missing."]);
});

test("has no script, loads nothing, and escapes the contents of cells", async () => {
  const at = testFolder();
  const { client } = school();
  const rows = [
    { email: "a@example.com", first_name: `<img src=x onerror="alert(1)">'&`, last_name: "\u202egnp.exe\u0000" },
  ];
  await plan(client.users, rows, { to: at("a.plan"), key: "email" });
  await show(at("a.plan"), "--html", at("a.html"));
  const html = readFileSync(at("a.html"), "utf8");
  expect(html).toContain("&#60;img src=x onerror=&#34;alert(1)&#34;&#62;&#39;&#38;");
  expect(html).not.toMatch(/<(script|img|link|iframe)|\son\w+="|https?:\/\/(?!\w+\.sandbox)/u);
  expect(["\u202e", "\u0000"].filter((sign) => html.includes(sign))).toEqual([]);
  expect(html).toContain("default-src 'none'");
});

test("refuses the plan's own path, and options that would leave out rows", async () => {
  const at = testFolder();
  const { client } = school();
  await plan(client.users, [], { to: at("a.plan"), key: "email" });
  const whole = readFileSync(at("a.plan"), "utf8");
  expect(await show(at("a.plan"), "--html", at("a.plan"))).toMatchObject({ status: 2 });
  expect(await show(at("a.plan"), "--html", at("a.html"), "--csv")).toMatchObject({ status: 2 });
  expect(readFileSync(at("a.plan"), "utf8")).toBe(whole);
  expect(await show(at("a.plan"), "--html", at("a.html"))).toEqual({
    status: 0,
    text: `Written: ${at("a.html")}. It holds the values of the rows, and only you can read it.\n`,
  });
  expect(readFileSync(at("a.html"), "utf8")).toContain("0 rows. Nothing is left to be sent.");
});

test("shows the parts of an address in separate cells, before and after", async () => {
  const at = testFolder();
  const { client, sandbox } = school();
  const { id = 0, name } = [...sandbox.store.accounts][0] ?? {};
  sandbox.store.accounts.update(id, { email: "firm@example.com", address: null });
  const rows = [
    { Firm: name, "E-mail": "firm@example.com", Street: "Main Street 1", Town: "Delft", Code: "2611", Land: "NL" },
  ];
  const columns = {
    email: "E-mail",
    name: "Firm",
    "address_attributes.address": "Street",
    "address_attributes.city": "Town",
    "address_attributes.postal_code": "Code",
    "address_attributes.country": "Land",
  };
  await plan(client.accounts, rows, { to: at("a.plan"), key: "email", columns: columns as never });
  await show(at("a.plan"), "--html", at("a.html"));
  const html = readFileSync(at("a.html"), "utf8");
  expect(html).not.toContain("address_attributes");
  expect(cells(html)[0]?.filter((cell) => cell.startsWith("empty → "))).toEqual([
    "empty → Main Street 1",
    "empty → Delft",
    "empty → 2611",
    "empty → NL",
  ]);
});
