// Packs the package, installs it into consumers and runtimes, runs them, and prints the results.
//   npm run check:package                     all rows; with TEST_SHARE below 1, those that the commit draws
//   npm run check:package -- --only vite      one row, or all whose name contains the word
//   npm run check:package -- --list           prints the names
//   npm run check:package -- --keep           keeps the temporary folder for inspection
import { parseArgs } from "node:util";
import { Chromium } from "./chromium.ts";
import type { Context, Row } from "./row.ts";
import { drawnRows, ROWS } from "./rows.ts";
import { Service } from "./service.ts";
import { Workspace } from "./workspace.ts";

interface Line {
  readonly name: string;
  readonly version: string;
  readonly result: "ok" | "FAILED";
  readonly seconds: string;
  readonly note: string;
}

process.env.TEST_SHARE ??= "1";
const { values } = parseArgs({
  options: { only: { type: "string", multiple: true }, list: { type: "boolean" }, keep: { type: "boolean" } },
});

if (values.list) {
  for (const row of ROWS) console.log(row.name);
} else {
  process.exitCode = (await check(chooseRows(values.only))) ? 0 : 1;
}

function chooseRows(only: readonly string[] | undefined): readonly Row[] {
  if (!only) return drawnRows();
  // A full name selects that row; a part of a name selects every row that contains it.
  const asked = only.flatMap((word) => {
    const exact = ROWS.filter((row) => row.name === word);
    return exact.length > 0 ? exact : ROWS.filter((row) => row.name.includes(word));
  });
  const rows = ROWS.filter((row) => asked.includes(row));
  if (rows.length === 0) throw new Error(`no row is named ${only.join(" or ")}; --list prints the names`);
  return rows;
}

async function check(rows: readonly Row[]): Promise<boolean> {
  const workspace = await Workspace.create((line) => console.log(`  ${line}`));
  let service: Promise<Service> | null = null;
  let chromium: Promise<Chromium> | null = null;
  const context: Context = {
    workspace,
    service: () => {
      service ??= Service.start();
      return service;
    },
    chromium: () => {
      chromium ??= Chromium.launch();
      return chromium;
    },
  };
  const lines: Line[] = [];
  try {
    await workspace.pack();
    for (const row of rows) {
      const line = await checkRow(row, context);
      lines.push(line);
      console.log(`${line.result === "ok" ? "ok    " : "FAILED"} ${line.name} (${line.seconds} s)`);
    }
  } finally {
    await (await (chromium as Promise<Chromium> | null)?.catch(() => null))?.close();
    await (await (service as Promise<Service> | null)?.catch(() => null))?.close();
    if (values.keep) console.log(`kept ${workspace.folder}`);
    else await workspace.remove();
  }
  console.table(lines);
  const failed = lines.filter((line) => line.result !== "ok");
  console.log(`${lines.length - failed.length} of ${lines.length} rows passed.`);
  return failed.length === 0;
}

async function checkRow(row: Row, context: Context): Promise<Line> {
  let started = performance.now();
  const seconds = () => ((performance.now() - started) / 1000).toFixed(1);
  try {
    if (row.group !== undefined) await context.workspace.install(row.group);
    started = performance.now();
    const { version, note = "" } = await row.run(context);
    return { name: row.name, version, result: "ok", seconds: seconds(), note };
  } catch (error) {
    console.error(`\n--- ${row.name}\n${error instanceof Error ? error.message : String(error)}\n---`);
    return { name: row.name, version: "", result: "FAILED", seconds: seconds(), note: "" };
  }
}
