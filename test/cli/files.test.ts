import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { MainClient } from "../../src/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { listen } from "../../src/sandbox/node.js";
import { runLine } from "./run-support.js";

const sandbox = createSandbox({ size: "small" });
const client = new MainClient(sandbox);
let env: Record<string, string>;
beforeAll(async () => {
  const server = await listen(sandbox);
  env = { EDUCATION_ADMIN_BASE_URL: server.url, EDUCATION_ADMIN_API_KEY: sandbox.apiKey };
  return () => server.close();
});

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "cli-files-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

const run = (line: string, isTTY = false) => runLine(line.split(" "), env, { isTTY });

test("the file name decides the format of an export", async () => {
  const accounts = await client.accounts.list().toArray();
  const ndjson = accounts.map((account) => `${JSON.stringify(account)}\n`).join("");
  const at = (name: string) => join(folder, name);
  for (const name of ["a.csv", "a.CSV.GZ", "a.ndjson", "a.jsonl.gz", "a.gz", "a"]) {
    expect((await run(`export accounts --out ${at(name)} --quiet`)).status, name).toBe(0);
  }
  const csv = readFileSync(at("a.csv"), "utf8");
  expect(csv).toMatch(/^id,/);
  expect(gunzipSync(readFileSync(at("a.CSV.GZ"))).toString()).toBe(csv);
  for (const name of ["a.ndjson", "a"]) expect(readFileSync(at(name), "utf8")).toBe(ndjson);
  for (const name of ["a.jsonl.gz", "a.gz"]) expect(gunzipSync(readFileSync(at(name))).toString()).toBe(ndjson);
  expect((await run(`export accounts --out ${at("b.csv.gz")} --format csv --gzip`)).status).toBe(0);
});

test("the PDF of an invoice is written to a file in one step, and never to a terminal", async () => {
  const { data } = await client.invoices.getPdf(1);
  const file = join(folder, "invoice.pdf");
  const { status, stdout, stderr } = await run(`get invoices.get-pdf 1 --out ${file}`);
  expect([status, stdout, stderr]).toEqual([0, "", expect.stringMatching(/invoice\.pdf: \d+ B\n$/)]);
  expect(readFileSync(file).toString("base64")).toBe(data);
  expect(readFileSync(file, "latin1")).toMatch(/^%PDF-/);

  writeFileSync(file, "older");
  expect((await run(`get invoices.get-pdf 999999 --out ${file}`)).status).toBe(1);
  expect(readFileSync(file, "utf8")).toBe("older");
  expect(readdirSync(folder)).toEqual(["invoice.pdf"]);

  const sent = sandbox.requests.length;
  expect(await run("get invoices.get-pdf 1", true)).toMatchObject({
    status: 2,
    stdout: "",
    stderr: expect.stringMatching(
      /^The record is a file, which a terminal cannot show; write it to disk: --out invoice\.pdf\n/,
    ),
  });
  expect(sandbox.requests).toHaveLength(sent);
  expect(JSON.parse((await run("get invoices.get-pdf 1")).stdout)).toEqual({ data });
});

test("a damaged file from the service does not replace the existing one", async () => {
  const file = join(folder, "invoice.pdf");
  writeFileSync(file, "older");
  for (const data of ["<html>Sign in</html>", "", "JVBERi0xLjQ*"]) {
    sandbox.faults.next({ operation: "invoices.getPdf", body: { data } });
    const { status, stderr } = await run(`get invoices.get-pdf 1 --out ${file}`);
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: "The service sent no file: its response is not base64. No file was written.\n",
    });
  }
  // E-mail software breaks base64 into lines.
  sandbox.faults.next({ operation: "invoices.getPdf", body: { data: "JVBE\r\nRi0=\n" } });
  expect((await run(`get invoices.get-pdf 1 --out ${join(folder, "other.pdf")}`)).status).toBe(0);
  expect(readFileSync(join(folder, "other.pdf"), "utf8")).toBe("%PDF-");
  expect(readFileSync(file, "utf8")).toBe("older");
});

test("--columns also chooses the fields of JSON output", async () => {
  const { stdout } = await run("list accounts --limit 2 --json --columns id,address.city");
  const accounts = await client.accounts.list().toArray({ max: 2 });
  expect(JSON.parse(stdout)).toEqual(
    accounts.map(({ id, address }) => ({ id, "address.city": address?.city ?? null })),
  );
  expect(JSON.parse((await run("get accounts 1 --columns id")).stdout)).toEqual({ id: 1 });
});
