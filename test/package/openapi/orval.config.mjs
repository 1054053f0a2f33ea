const of = (api) => ({
  input: { target: `node_modules/education-admin-sdk/openapi/${api}.json` },
  output: { target: `generated/orval/${api}.ts`, client: "fetch", baseUrl: { runtime: "globalThis.apiUrl" } },
});

// biome-ignore lint/style/noDefaultExport: orval reads the default export.
export default {
  main: of("main"),
  admin: of("admin"),
  organization: of("organization"),
  control: of("sandbox-control"),
};
