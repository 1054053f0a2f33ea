import type { Plugin } from "esbuild";

/**
 * Removes the JSON Schema validator from the protocol's SDK. It makes up half of the SDK, and is needed only for forms
 * that a server shows to its user. The tools validate their input themselves.
 */
export const withoutAjv: Plugin = {
  name: "without-ajv",
  setup({ onLoad }) {
    onLoad({ filter: /@modelcontextprotocol[/\\]server[/\\]dist[/\\]ajvProvider-\w+\.mjs$/ }, () => ({
      contents:
        "class None { getValidator() { throw new Error('this build contains no JSON Schema validator'); } }\nexport { None as n, None as t };",
      loader: "js",
    }));
  },
};
