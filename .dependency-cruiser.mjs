// The allowed imports. Part of `npm run lint`.
import entries from "./entries.json" with { type: "json" };

// The layers of the core from the bottom up: each may import the earlier ones, including their types.
const CORE_ROOMS = [
  { name: "base", path: "(?!operation|options|service|settings|transport|resource|inside-client)[a-z-]+[.]ts$" },
  { name: "schema", path: "schema/" },
  { name: "limits", path: "limits/" },
  { name: "tables", path: "(operation|options|service|settings)[.]ts$" },
  { name: "line", path: "line/" },
  { name: "drift", path: "drift/" },
  { name: "call", path: "call/" },
  { name: "lists", path: "lists/" },
  { name: "transport", path: "(transport|resource|inside-client)[.]ts$" },
];

// The folders of src and what each may import: folders, or files in them. `types` lists folders from which it may
// import only types. No folder may import one that is not listed here, so only the command includes mirror, doctor and
// sandbox.
const CLIENT = ["core", "generated", "lookups", "models", "resources"];
const ROOMS = {
  // Editors complete the names of operations; the core does not depend on the tables themselves.
  core: { types: ["generated/operation-id.ts"] },
  lookups: { code: ["core"] },
  models: { code: ["core"] },
  resources: { code: ["core", "lookups", "models"] },
  generated: { code: ["models", "resources"], types: ["core"] },
  clients: { code: CLIENT },
  "index.ts": { code: [...CLIENT, "clients"] },
  "schemas.ts": { code: ["generated", "models"], types: ["core"] },
  "input-schemas.ts": { code: ["core", "generated", "models"] },
  "operations.ts": { code: ["core", "generated", "input-schemas.ts", "lookups"] },
  work: { code: ["core"] },
  sql: { code: ["core/(abort|errors|option-checks).ts"] },
  // A receiver needs errors, the clock, models, and when a delivery is due.
  webhooks: { code: ["core", "models", "work/schedule.ts"], not: ["core/transport.ts"] },
  stores: {
    code: ["core/(errors|option-checks|secret|limits/rate-limit-store).ts", "sql", "webhooks"],
    types: ["bulk/types.ts"],
  },
  // Schools create clients and count in the turns of the stores; the caller passes the token store.
  schools: { code: ["clients", "core", "lookups", "models", "resources", "stores", "work/schedule.ts"] },
  school: { code: ["core", "models"], types: ["clients", "resources"] },
  // The following folders receive a client, so they import only its type.
  doctor: { code: ["core", "work/(kinds|pluralize).ts"], types: ["clients"] },
  twin: { code: ["core", "doctor", "school", "work/kinds.ts"], types: ["clients", "sandbox"] },
  opentelemetry: { code: ["core"] },
  proxy: { code: ["core", "operations.ts", "webhooks"], types: ["clients", "generated"], not: ["core/transport.ts"] },
  workbook: { code: ["work"] },
  export: { code: ["core", "work", "workbook"], types: ["clients", "lookups"] },
  bulk: { code: [...CLIENT, "export", "operations.ts", "work", "workbook"], types: ["clients"] },
  acts: { code: [...CLIENT, "bulk", "work"], types: ["clients"] },
  erase: { code: [...CLIENT, "bulk", "mirror", "operations.ts", "sql", "webhooks", "work"] },
  assistant: { code: [...CLIENT, "bulk", "input-schemas.ts", "operations.ts", "work"], types: ["clients"] },
  mirror: { code: ["core", "operations.ts", "sql", "webhooks", "work"], types: ["clients"] },
  sandbox: {
    code: [
      "core",
      "models",
      "operations.ts",
      "resources",
      "schemas.ts",
      "school",
      "webhooks",
      "work/(days|decimals|kinds|fields/path).ts",
    ],
    types: ["generated"],
  },
};

const among = (paths) =>
  `^(src|dist)/(${paths.map((path) => (/\.ts$/.test(path) ? path.replace(/\.ts$/, "[.](ts|js)$") : `${path}/`)).join("|")})`;
const roomRules = Object.entries(ROOMS).flatMap(([room, { code = [], types = [], not = [] }]) => {
  const from = { path: among([room]) };
  const rule = (what, to) => ({
    name: `${room}-${what}`,
    comment: `ROOMS lists the allowed imports of src/${room}.`,
    severity: "error",
    from,
    to,
  });
  return [
    rule("imports", { path: "^(src|dist)/", pathNot: among([room, ...code]), dependencyTypesNot: ["type-only"] }),
    rule("imports-types", { path: "^(src|dist)/", pathNot: among([room, ...code, ...types]) }),
    ...(not.length === 0 ? [] : [rule("never-imports", { path: among(not), dependencyTypesNot: ["type-only"] })]),
  ];
});

/** @type {import("dependency-cruiser").IConfiguration} */
const config = {
  forbidden: [
    {
      name: "no-cycles",
      comment:
        "No cycles between modules. Cycles of types are erased before anything runs, but they tangle the design.",
      severity: "error",
      from: {},
      to: { circular: true },
    },
    ...roomRules,
    {
      name: "limits-know-time-only",
      comment:
        "The rate limiter receives a clock, a store, a host and a limit; it must not depend on calls or settings.",
      severity: "error",
      from: { path: "^src/core/limits/" },
      to: { path: "^src/", pathNot: "^src/core/(limits/|(abort|clock|fingerprint|time)[.]ts$)" },
    },
    ...CORE_ROOMS.slice(0, -1).map(({ name, path }, at) => ({
      name: `core-${name}-knows-nothing-above`,
      comment: `Each layer of the core may import only the layers before it: ${CORE_ROOMS.map((room) => room.name).join(", ")}. Imports of types count too.`,
      severity: "error",
      from: { path: `^src/core/${path}` },
      to: {
        path: CORE_ROOMS.slice(at + 1).map((room) => `^(src|dist)/core/${room.path.replace(".]ts", ".](ts|js)")}`),
      },
    })),
    {
      name: "zod-in-the-room-of-schemas",
      comment: "Only core/schema reads zod's schemas and checks values against them.",
      severity: "error",
      from: { path: "^src/core/", pathNot: "^src/core/schema/" },
      to: { path: "node_modules/zod/" },
    },
    {
      name: "ky-in-the-room-of-calls",
      comment: "Only run-call.ts and context.ts use ky.",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/core/call/(run-call|context)[.]ts$" },
      to: { path: "node_modules/ky/" },
    },
    {
      name: "sandbox-data-below-its-domains",
      comment: "The sandbox's data must not depend on its handling of requests.",
      severity: "error",
      from: { path: "^src/sandbox/data/" },
      to: { path: "^src/sandbox/", pathNot: "^src/sandbox/data/" },
    },
    {
      name: "sandbox-engine-below-its-domains",
      comment: "The engine handles all requests alike; sandbox.ts passes the domains to it.",
      severity: "error",
      from: { path: "^src/sandbox/engine/" },
      to: { path: "^src/sandbox/", pathNot: "^src/sandbox/(data|engine)/" },
    },
    {
      name: "sandbox-domains-below-the-sandbox",
      comment: "The files that assemble the sandbox import the domains, not the other way round.",
      severity: "error",
      from: { path: "^src/sandbox/[a-z]+/" },
      to: { path: "^src/sandbox/[^/]+$" },
    },
    {
      name: "client-without-assistants-and-schools",
      comment: "Importing `.` must not load these parts.",
      severity: "error",
      from: { path: "^src/index\\.ts$" },
      to: { path: "^src/(assistant|schools)/|^src/generated/field-classes\\.ts$", reachable: true },
    },
    {
      name: "node-only-where-named-so",
      comment: "Only the command and files called node* may import node: modules; all others run everywhere.",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/cli/|/node[^/]*\\.ts$" },
      to: { dependencyTypes: ["core"] },
    },
    {
      name: "only-named-dependencies",
      comment:
        "Allowed are ky and zod, and msw and @opentelemetry/api as optional peers of one entry each. The build bundles commander, string-width, oauth4webapi, the protocol's SDK and the libraries for workbooks into the one module that needs each.",
      severity: "error",
      from: { path: "^src/" },
      to: {
        dependencyTypes: ["npm-dev", "npm-optional", "npm-no-pkg", "npm-unknown", "unknown", "undetermined"],
        pathNot:
          "node_modules/(msw|@opentelemetry/api|commander|string-width|oauth4webapi|@modelcontextprotocol/server|saxes|yauzl|yazl)/",
      },
    },
    {
      name: "no-orphans",
      comment: "A module that is neither imported nor an entry is dead.",
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
