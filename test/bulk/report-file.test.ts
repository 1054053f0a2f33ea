import { linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { readCsv, run } from "../../src/bulk/node.js";
import { failure } from "../support/manual-clock.js";
import { testFolder } from "./support/folder.js";
import { school } from "./support/school.js";

const SOURCE = "email,first_name,last_name\nq@example.com,Q,Q\n";

test("the file of the rows is not replaced by the report, under whatever name it is given", async () => {
  const at = testFolder();
  const { client, sandbox } = school();
  mkdirSync(at("rows"));
  writeFileSync(at("rows/source.csv"), SOURCE);
  symlinkSync(at("rows/source.csv"), at("link.csv"));
  symlinkSync(at("rows"), at("folder"));
  const message = "run: report is the file of the rows; name another file";
  const sources = [at("rows/source.csv"), at("link.csv"), pathToFileURL(at("rows/source.csv"))];
  for (const source of sources) {
    for (const report of [at("rows/source.csv"), at("link.csv"), at("folder/source.csv"), at("rows/../link.csv")]) {
      const error = await failure(run(client.users, readCsv(source), { to: at("a.plan"), key: "email", report }));
      expect(error.message).toContain(message);
    }
  }
  expect(sandbox.requests).toEqual([]);
  expect(readFileSync(at("rows/source.csv"), "utf8")).toBe(SOURCE);
  linkSync(at("rows/source.csv"), at("other.csv"));
  const options = { to: at("a.plan"), key: "email", report: at("other.csv") } as const;
  expect(await run(client.users, readCsv(at("link.csv")), options)).toMatchObject({ created: 1 });
  expect(readFileSync(at("rows/source.csv"), "utf8")).toBe(SOURCE);
});
