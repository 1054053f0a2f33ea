// Runs a program of the examples against the source, so that tests never use an old build: node --import
// ./test/webhooks/run-from-source.mjs examples/…
import { registerHooks } from "node:module";
import entries from "../../entries.json" with { type: "json" };
import { internalImports } from "../../scripts/lib/internal-imports.ts";

const project = new URL("../../", import.meta.url);
const source = new URL("src/", project);
const sources = {
  ...Object.fromEntries(Object.entries(entries).map(([name, file]) => [`education-admin-sdk${name.slice(1)}`, file])),
  ...internalImports("node"),
};

registerHooks({
  resolve(specifier, context, next) {
    if (Object.hasOwn(sources, specifier)) return next(new URL(sources[specifier], project).href, context);
    const fromSource = context.parentURL?.startsWith(source.href) && specifier.startsWith(".");
    return next(fromSource ? specifier.replace(/\.js$/, ".ts") : specifier, context);
  },
});
