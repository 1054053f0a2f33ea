// What may import what. Part of `npm run lint`.
import entries from "./entries.json" with { type: "json" };

// The rooms of the core from the ground up: each may import those before it, types included.
const CORE_ROOMS = [
  { name: "base", path: "(?!operation|options|settings|transport|resource|inside-client)[a-z-]+[.]ts$" },
  { name: "schema", path: "schema/" },
  { name: "limits", path: "limits/" },
  { name: "tables", path: "(operation|options|settings)[.]ts$" },
  { name: "drift", path: "drift/" },
  { name: "call", path: "call/" },
  { name: "lists", path: "lists/" },
  { name: "transport", path: "(transport|resource|inside-client)[.]ts$" },
];

/** @type {import("dependency-cruiser").IConfiguration} */
const config = {
  forbidden: [
    {
      name: "no-cycles",
      comment: "Of modules that load one another, and of types: erased before anything runs, but a design in knots.",
      severity: "error",
      from: {},
      to: { circular: true },
    },
    {
      name: "core-knows-no-resource",
      comment:
        "The core carries out rows of tables; which tables there are is not its business. The names of the operations are, in types only: editors complete them in options and events.",
      severity: "error",
      from: { path: "^src/core/" },
      to: { path: "^src/", pathNot: "^src/(core/|generated/operation-id[.]ts$)" },
    },
    {
      name: "limits-know-time-only",
      comment:
        "The rate limiter is given a clock, a store, a host and a limit, and knows nothing of calls and settings.",
      severity: "error",
      from: { path: "^src/core/limits/" },
      to: { path: "^src/", pathNot: "^src/core/(limits/|(abort|clock|fingerprint)[.]ts$)" },
    },
    ...CORE_ROOMS.slice(0, -1).map(({ name, path }, at) => ({
      name: `core-${name}-knows-nothing-above`,
      comment: `The rooms of the core lie on one another: ${CORE_ROOMS.map((room) => room.name).join(", ")}. A type is an arrow, too.`,
      severity: "error",
      from: { path: `^src/core/${path}` },
      to: {
        path: CORE_ROOMS.slice(at + 1).map((room) => `^(src|dist)/core/${room.path.replace(".]ts", ".](ts|js)")}`),
      },
    })),
    {
      name: "zod-in-the-room-of-schemas",
      comment: "The rest of the core asks that room what a schema is and whether a value fits.",
      severity: "error",
      from: { path: "^src/core/", pathNot: "^src/core/schema/" },
      to: { path: "node_modules/zod/" },
    },
    {
      name: "ky-in-the-room-of-calls",
      comment: "ky carries out the requests of run-call.ts; no other part of the library knows it.",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/core/call/(run-call|context)[.]ts$" },
      to: { path: "node_modules/ky/" },
    },
    {
      name: "core-takes-types-of-operation-ids",
      comment: "So that nothing that is generated runs in the core.",
      severity: "error",
      from: { path: "^src/core/" },
      to: { path: "^src/generated/", dependencyTypesNot: ["type-only"] },
    },
    {
      name: "lookups-build-on-core",
      comment:
        "The core reaches lookups by one interface, Lookups in src/core/transport.ts, and clients pass what implements it.",
      severity: "error",
      from: { path: "^src/lookups/" },
      to: { path: "^src/", pathNot: "^src/(core|lookups)/" },
    },
    {
      name: "models-build-on-core",
      comment: "Shapes shared by resources know none of them.",
      severity: "error",
      from: { path: "^src/models/" },
      to: { path: "^src/", pathNot: "^src/(core|models)/" },
    },
    {
      name: "resources-build-on-core-lookups-and-models",
      comment: "Clients are put together of resources, not the other way round.",
      severity: "error",
      from: { path: "^src/resources/" },
      to: { path: "^src/", pathNot: "^src/(core|lookups|models|resources)/" },
    },
    {
      name: "sandbox-data-below-its-domains",
      comment:
        "Records know nothing of requests. The type of the store is the sum of what each domain's store.ts declares.",
      severity: "error",
      from: { path: "^src/sandbox/data/" },
      to: { path: "^src/sandbox/", pathNot: "^src/sandbox/(data/|[a-z]+/store[.]ts$)" },
    },
    {
      name: "sandbox-engine-below-its-domains",
      comment:
        "Requests are answered the same way whatever the domains do; sandbox.ts hands the domains to the engine.",
      severity: "error",
      from: { path: "^src/sandbox/engine/" },
      to: { path: "^src/sandbox/", pathNot: "^src/sandbox/(data/|engine/|[a-z]+/store[.]ts$)" },
    },
    {
      name: "sandbox-domains-below-the-sandbox",
      comment: "What puts the sandbox together knows the domains, not the other way round.",
      severity: "error",
      from: { path: "^src/sandbox/[a-z]+/" },
      to: { path: "^src/sandbox/[^/]+$" },
    },
    {
      name: "client-code-without-sandbox",
      comment: "Whoever imports a client gets no sandbox, and whoever imports either gets no webhooks.",
      severity: "error",
      from: { path: "^src/(index|schemas|operations)\\.ts$|^src/clients/" },
      to: { path: "^src/(sandbox|webhooks|proxy|stores|export|opentelemetry|cli)/" },
    },
    {
      name: "proxy-without-sandbox",
      comment: "A proxy needs the tables and the public surface of a client, never its transport.",
      severity: "error",
      from: { path: "^src/proxy/" },
      to: { path: "^src/sandbox/|^src/clients/|^src/core/transport\\.ts$", dependencyTypesNot: ["type-only"] },
    },
    {
      name: "work-on-core",
      comment: "What parts that read and write many records have in common knows none of these parts, and no resource.",
      severity: "error",
      from: { path: "^src/work/" },
      to: { path: "^src/", pathNot: "^src/(core|work)/" },
    },
    {
      name: "export-without-clients",
      comment: "An export needs lists and schemas, never a client, its transport or a table.",
      severity: "error",
      from: { path: "^src/export/" },
      to: { path: "^src/(sandbox|clients|generated|resources)/", dependencyTypesNot: ["type-only"] },
    },
    {
      name: "opentelemetry-on-its-own",
      comment: "It sees what the diagnostics channels tell, and nothing else of a client.",
      severity: "error",
      from: { path: "^src/opentelemetry/" },
      to: { path: "^src/", pathNot: "^src/(core|opentelemetry)/" },
    },
    {
      name: "mirror-on-tables",
      comment:
        "A mirror needs the tables, the core and the kinds of events. Clients are given to it, so it knows their types only.",
      severity: "error",
      from: { path: "^src/mirror/" },
      to: {
        path: "^src/(sandbox|proxy|stores|cli|export|resources)/|^src/clients/",
        dependencyTypesNot: ["type-only"],
      },
    },
    {
      name: "nobody-needs-a-mirror",
      comment: "Only the command line brings it along.",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/(mirror|cli)/" },
      to: { path: "^src/mirror/" },
    },
    {
      name: "doctor-on-core",
      comment: "It calls the resources of the client that it is given, and takes their rows from them.",
      severity: "error",
      from: { path: "^src/doctor/" },
      to: { path: "^src/", pathNot: "^src/(core|doctor)/", dependencyTypesNot: ["type-only"] },
    },
    {
      name: "bulk-on-tables",
      comment: "It is given a client or a resource, and needs the tables, the core and the locked files of an export.",
      severity: "error",
      from: { path: "^src/bulk/" },
      to: { path: "^src/(sandbox|proxy|stores|cli|mirror|webhooks|clients)/", dependencyTypesNot: ["type-only"] },
    },
    {
      name: "assistant-on-tables",
      comment: "It is given a client, whose class makes its own; it needs the tables and, for plans, bulk.",
      severity: "error",
      from: { path: "^src/assistant/" },
      to: {
        path: "^src/(sandbox|proxy|stores|cli|mirror|webhooks|export|clients)/",
        dependencyTypesNot: ["type-only"],
      },
    },
    {
      name: "schemas-without-client",
      comment: "The entry of the schemas brings no client code along.",
      severity: "error",
      from: { path: "^src/schemas\\.ts$" },
      to: { path: "^src/clients/" },
    },
    {
      name: "webhooks-on-their-own",
      comment: "A receiver of webhooks needs errors, clock and models, never a transport or a resource's code.",
      severity: "error",
      from: { path: "^src/webhooks/" },
      to: { path: "^src/(clients|sandbox)/|^src/core/transport\\.ts$", dependencyTypesNot: ["type-only"] },
    },
    {
      name: "schools-above-clients",
      comment: "They make clients and count in the turns of the stores; a token store is given to them.",
      severity: "error",
      from: { path: "^src/schools/" },
      to: { path: "^src/(sandbox|proxy|cli|export|mirror|bulk|webhooks)/", dependencyTypesNot: ["type-only"] },
    },
    {
      name: "client-without-assistants-and-schools",
      comment: "Who imports `.` loads no byte of these parts.",
      severity: "error",
      from: { path: "^src/index\\.ts$" },
      to: { path: "^src/(assistant|schools)/|^src/generated/field-classes\\.ts$", reachable: true },
    },
    {
      name: "stores-on-their-own",
      comment:
        "A store needs the interfaces it implements, checks of its options and a worker for deliveries, never a client.",
      severity: "error",
      from: { path: "^src/stores/" },
      to: {
        path: "^src/",
        pathNot:
          "^src/(stores|webhooks|sql)/|^src/bulk/types[.]ts$|^src/schools/store[.]ts$|^src/core/(errors|option-checks|limits/rate-limit-store)\\.ts$",
      },
    },
    {
      name: "sql-on-signals",
      comment: "What stores and mirror have in common of a caller's database knows neither.",
      severity: "error",
      from: { path: "^src/sql/" },
      to: { path: "^src/", pathNot: "^src/sql/|^src/core/abort[.]ts$" },
    },
    {
      name: "node-only-where-named-so",
      comment: "node: modules are imported by files called node or cli only; the others run everywhere.",
      severity: "error",
      from: { path: "^src/", pathNot: "/(node|cli)[^/]*\\.ts$" },
      to: { dependencyTypes: ["core"] },
    },
    {
      name: "only-named-dependencies",
      comment:
        "ky and zod, and msw and @opentelemetry/api as optional peers of one entry each. The build puts commander, string-width, oauth4webapi and the protocol's SDK into the one module that needs each.",
      severity: "error",
      from: { path: "^src/" },
      to: {
        dependencyTypes: ["npm-dev", "npm-optional", "npm-no-pkg", "npm-unknown", "unknown", "undetermined"],
        pathNot:
          "node_modules/(msw|@opentelemetry/api|commander|string-width|oauth4webapi|@modelcontextprotocol/server)/",
      },
    },
    {
      name: "no-orphans",
      comment: "A module nobody imports and that is no entry is dead.",
      severity: "error",
      from: {
        orphan: true,
        path: "^src/",
        pathNot: [...Object.values(entries), "src/cli/cli.ts"].map((entry) => `^${entry.replace(".", "\\.")}$`),
      },
      to: {},
    },
  ],
  options: {
    tsConfig: { fileName: "tsconfig.json" },
    tsPreCompilationDeps: true,
    doNotFollow: { path: "node_modules" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "default"],
      extensions: [".ts", ".js"],
    },
  },
};

// biome-ignore lint/style/noDefaultExport: dependency-cruiser reads the default export.
export default config;
