import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { apply, plan, readCsv } from "../../src/bulk/node.js";
import { runCli } from "../../src/cli/cli-main.js";
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

/** The rows of a page as text, cell by cell. */
function cells(html: string): string[][] {
  const body = html.slice(html.indexOf("<tbody>"));
  return body
    .split(/<tr class="\w+">/)
    .slice(1)
    .map((row) =>
      row
        .split("<td>")
        .slice(1)
        .map(
          (cell) =>
            cell
              .split("</tbody>")[0]
              ?.replace(/<br>/g, " | ")
              .replace(/<[^>]+>/g, "")
              .trim() ?? "",
        ),
    );
}

test("says of each row what is to be done, and afterwards what has become of it", async () => {
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
  expect(before).toContain(`agrees to plan <strong>${digest}</strong>`);
  expect(before).toContain("2 rows to be sent.");
  for (const count of ["1 to create", "1 to change", "1 refused", "1 unchanged"])
    expect(before).toContain(`> ${count}<`);
  expect(cells(before)).toEqual([
    ["2", "to change", `${email} | id 2`, `first_name ${first} → Changed`],
    ["3", "to create", "new@example.com", "first_name New | last_name Person | email new@example.com"],
    ["4", "refused", "b@example.com,No last name,", "Column Last: is missing."],
    ["5", "unchanged", `${sandbox.store.users.get(3)?.email} | id 3`, ""],
  ]);

  sandbox.faults.next({ operation: "users.create", errors: { last_name: ["is taken"] } });
  await apply(client, at("a.plan"));
  await show(at("a.plan"), "--html", at("a.html"));
  const after = readFileSync(at("a.html"), "utf8");
  expect(after).toContain("Nothing is left to be sent.");
  expect(cells(after).map(([row, what, , text]) => [row, what, text])).toEqual([
    ["2", "changed", `first_name ${first} → Changed`],
    ["3", "failed", "first_name New | last_name Person | email new@example.com | last_name: is taken."],
    ["4", "refused", "Column Last: is missing."],
    ["5", "unchanged", ""],
  ]);
});

test("gives a reason that two fields of one column have once", async () => {
  const at = testFolder();
  const { client } = school();
  const columns = { first_name: "Name", last_name: "Name" };
  await plan(client.users, [{ email: "b@example.com", Name: "" }], { to: at("a.plan"), key: "email", columns });
  await show(at("a.plan"), "--html", at("a.html"));
  expect(cells(readFileSync(at("a.html"), "utf8"))[0]?.at(-1)).toBe("Column Name: is missing.");
});

test("has no script, loads nothing, and escapes what cells hold", async () => {
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
  expect(["\u202e", "\u0000"].some((sign) => html.includes(sign))).toBe(false);
  expect(html).toContain("default-src 'none'");
});

test("refuses a page in place of the plan, and options that would leave rows out", async () => {
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
