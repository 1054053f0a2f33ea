import { parseArgs } from "node:util";
import { prepare } from "./lib/prepare.ts";
import { print, report } from "./lib/report.ts";

/**
 * `npm run bench`: measures the library alongside its peers and writes docs/performance.md.
 * --only <names>  only these measures, separated by commas
 * --quick         few rounds; nothing is written
 * --prepared      reuses the build and the generated clients of the previous run
 */
const { values } = parseArgs({
  options: {
    only: { type: "string" },
    quick: { type: "boolean", default: false },
    prepared: { type: "boolean", default: false },
  },
});

if (!values.prepared) await prepare();
// Loaded here, because they import packages that prepare() installs.
const { MEASURES } = await import("./measures/measures.ts");
const names = values.only?.split(",") ?? MEASURES.map(({ name }) => name);
const unknown = names.filter((name) => !MEASURES.some((measure) => measure.name === name));
if (unknown.length > 0) {
  console.error(
    `unknown measure ${unknown.join(", ")}; the measures are ${MEASURES.map(({ name }) => name).join(", ")}`,
  );
  process.exit(1);
}
for (const measure of MEASURES) {
  if (!names.includes(measure.name)) continue;
  const result = await measure.run(values);
  print(measure.name, result);
  if (!values.quick) await report(measure, result);
}
