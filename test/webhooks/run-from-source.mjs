// Lets a program of the examples run against the source, so that no test sees an old build:
// node --import ./test/webhooks/run-from-source.mjs examples/…
import { registerHooks } from "node:module";

const source = new URL("../../src/", import.meta.url);
const entries = {
  "education-admin-sdk": "index.ts",
  "education-admin-sdk/schemas": "schemas.ts",
  "education-admin-sdk/webhooks": "webhooks/index.ts",
  "education-admin-sdk/proxy": "proxy/index.ts",
  "education-admin-sdk/sandbox": "sandbox/index.ts",
  "education-admin-sdk/sandbox/node": "sandbox/node.ts",
  "education-admin-sdk/sandbox/msw": "sandbox/msw.ts",
  "#compile": "core/validation/compile-codegen.ts",
};

registerHooks({
  resolve(specifier, context, next) {
    if (Object.hasOwn(entries, specifier)) return next(new URL(entries[specifier], source).href, context);
    const fromSource = context.parentURL?.startsWith(source.href) && specifier.startsWith(".");
    return next(fromSource ? specifier.replace(/\.js$/, ".ts") : specifier, context);
  },
});
