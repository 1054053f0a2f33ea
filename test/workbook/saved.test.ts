import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { readSheet } from "../../src/bulk/node.js";
import { exportTo } from "../../src/export/node.js";
import { testFolder } from "../bulk/support/folder.js";
import { changesOf, oddResource, RESOURCES, unchanged } from "../bulk/support/odd-school.js";
import { needs } from "../support/tools.js";

/** A spreadsheet program, which opens all workbooks of a folder and saves them into another. */
interface Program {
  readonly name: string;
  readonly tool: "gnumeric" | "libreoffice";
  save(from: readonly string[], folder: string, end: "xlsx" | "ods"): void;
}

function start(command: string, ...args: readonly string[]): void {
  const { status, stderr, error } = spawnSync(command, args, { encoding: "utf8", timeout: 300_000 });
  if (status !== 0) throw new Error(`${command} ended with ${status ?? error}: ${stderr}`);
}

const PROGRAMS: readonly Program[] = [
  {
    name: "Gnumeric",
    tool: "gnumeric",
    save(from, folder, end) {
      for (const path of from) start("ssconvert", path, `${folder}/${path.replace(/^.*\/|\.\w+$/g, "")}.${end}`);
    },
  },
  {
    name: "LibreOffice",
    tool: "libreoffice",
    save(from, folder, end) {
      const filter = end === "xlsx" ? "xlsx:Calc MS Excel 2007 XML" : "ods";
      const options = [`-env:UserInstallation=file://${folder}/profile`, "--headless", "--norestore"];
      start("soffice", ...options, "--convert-to", filter, "--outdir", folder, ...from);
    },
  },
];

describe.each(PROGRAMS)("saved by $name", ({ tool, save }) => {
  test.each(["xlsx", "ods"] as const)(
    "as %s, an export of every resource changes no record",
    needs(tool),
    async (end) => {
      const at = testFolder();
      mkdirSync(at("saved"));
      const exported = [];
      for (const one of RESOURCES) {
        const path = at(`${one.api}-${one.name}.xlsx`);
        const { resource, columns, paths } = oddResource(one);
        const { records } = await exportTo(path, resource.list(), { format: "xlsx", columns: paths });
        exported.push({ path, resource, columns, records });
      }
      save(
        exported.map(({ path }) => path),
        at("saved"),
        end,
      );
      expect(readdirSync(at("saved")).filter((file) => file.endsWith(end))).toHaveLength(RESOURCES.length);
      for (const { path, resource, columns, records } of exported) {
        const saved = `${at("saved")}/${path.replace(/^.*\/|\.\w+$/g, "")}.${end}`;
        expect(existsSync(saved)).toBe(true);
        expect([path, await changesOf(resource, readSheet(saved), columns, `${path}.plan`)]).toEqual([
          path,
          unchanged(records),
        ]);
      }
    },
  );
});
