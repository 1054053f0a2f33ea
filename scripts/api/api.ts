// Compares the public surface of the entries, read from dist, with its report in api/.
//   node scripts/api/api.ts            exits with status 1 if a report is out of date
//   node scripts/api/api.ts --update   writes the reports
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { CompilerState, Extractor, ExtractorConfig, ExtractorLogLevel } from "@microsoft/api-extractor";
import { ENTRIES } from "../lib/entries.ts";
import { ROOT } from "../lib/generated.ts";

// The report of ./schemas would make up half of all reports and repeat types that the other reports show. The contract
// test compares each schema, field by field.
const REPORTED = ENTRIES.filter(({ name }) => name !== "./schemas");

const { values } = parseArgs({ options: { update: { type: "boolean", default: false } } });

const reports = join(ROOT, "api");
mkdirSync(reports, { recursive: true });
mkdirSync(join(ROOT, ".artefacts"), { recursive: true });
const scratch = mkdtempSync(join(ROOT, ".artefacts/api-"));
try {
  const configs = REPORTED.map(({ name, source }) => ({ name, config: configOf(name, source) }));
  // Creates one program for all entries; otherwise each entry would read and check the same declarations again.
  const [first, ...others] = configs.map(({ config }) => config);
  const compilerState = CompilerState.create(first as ExtractorConfig, {
    additionalEntryPoints: others.map(({ mainEntryPointFilePath }) => mainEntryPointFilePath),
  });
  const stale = configs.filter(({ name, config }) => !report(name, config, compilerState));
  if (stale.length > 0) {
    const names = stale.map(({ name }) => name).join(", ");
    console.error(
      `The public surface of ${names} differs from its report. If the change is intended, run npm run api:update.`,
    );
    process.exitCode = 1;
  }
} finally {
  rmSync(scratch, { recursive: true });
}

function configOf(name: string, source: string): ExtractorConfig {
  const file = name === "." ? "index" : name.slice(2).replaceAll("/", "-");
  return ExtractorConfig.prepare({
    configObjectFullPath: undefined,
    packageJsonFullPath: join(ROOT, "package.json"),
    configObject: {
      projectFolder: ROOT,
      mainEntryPointFilePath: join(ROOT, source.replace(/^src/, "dist").replace(/\.ts$/, ".d.ts")),
      compiler: { tsconfigFilePath: join(ROOT, "tsconfig.build.json"), skipLibCheck: true },
      apiReport: { enabled: true, reportFileName: `${file}.api.md`, reportFolder: reports, reportTempFolder: scratch },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      newlineKind: "lf",
      // The report covers only the surface; other checks cover docstrings and names.
      messages: {
        compilerMessageReporting: { default: { logLevel: ExtractorLogLevel.Error } },
        extractorMessageReporting: { default: { logLevel: ExtractorLogLevel.None } },
        tsdocMessageReporting: { default: { logLevel: ExtractorLogLevel.None } },
      },
    },
  });
}

/** Makes the report of one entry. @returns false if it differs from the report in api/ and is not updated. */
function report(name: string, config: ExtractorConfig, compilerState: CompilerState): boolean {
  const { succeeded, apiReportChanged, errorCount } = Extractor.invoke(config, {
    compilerState,
    localBuild: values.update,
    messageCallback(message) {
      // Hides the extractor's own message; the message above covers all entries.
      if (message.category === "console") message.handled = true;
    },
  });
  if (errorCount > 0) throw new Error(`api-extractor cannot read ${name}`);
  return values.update ? succeeded : !apiReportChanged;
}
