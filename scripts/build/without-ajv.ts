import type { Plugin } from "esbuild";

/**
 * Leaves the validator of JSON Schemas out of the protocol's SDK: half of its size, and only forms that a server asks its user
 * would need it. The tools check what they get themselves.
 */
export const withoutAjv: Plugin = {
  name: "without-ajv",
  setup({ onLoad }) {
    onLoad({ filter: /@modelcontextprotocol[/\\]server[/\\]dist[/\\]ajvProvider-\w+\.mjs$/ }, () => ({
      contents:
        "class None { getValidator() { throw new Error('no validator of JSON Schemas is in this build'); } }\nexport { None as n, None as t };",
      loader: "js",
    }));
  },
};
