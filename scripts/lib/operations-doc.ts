import type { Api, Operation } from "../../src/core/operation.ts";
import type { GeneratedFiles } from "./generated.ts";
import type { MethodSource, SourceIndex } from "./source-index.ts";

const PREFIX = { main: "api/v1", admin: "api/v1", organization: "api/organization" } as const;
const API_NAME = { main: "Main", admin: "Admin", organization: "Organization" } as const;
const APIS = ["main", "admin", "organization"] as const satisfies readonly Api[];

/** Writes `docs/operations.md`: one line per operation, grouped by resource. */
export function operationsDoc(operations: readonly Operation[], sources: SourceIndex): GeneratedFiles {
  const byId = Map.groupBy(operations, (row) => row.id);
  const groups = Map.groupBy([...byId.keys()], (id) => id.slice(0, id.lastIndexOf(".")));
  const counts = APIS.map((api) => `${count(operations, api)} on ${API_NAME[api]}`).join(", ");
  const sections = [...groups]
    .sort(organizationLast)
    .map(([resource, ids]) =>
      [
        `## ${resource}`,
        "",
        "| Call | Request | Clients | Flags and notes | Source |",
        "| --- | --- | --- | --- | --- |",
        ...ids.map((id) => line(byId.get(id) ?? [], sources)),
      ].join("\n"),
    );
  return { "docs/operations.md": `${intro(byId.size, counts)}\n\n${sections.join("\n\n")}\n` };
}

function intro(total: number, counts: string): string {
  return `<!-- Generated from the tables in src/resources by scripts/operations-doc.ts.
     Not to be edited by hand: npm run generate. -->

# Operations

All ${total} operations of the three APIs: ${counts}. \`client\` is a client of
any API the line names, \`admin\` an \`AdminClient\`; a \`MainClient\` and an \`AdminClient\` have the Organization API as
\`client.organization\`. Every call takes options as its last argument, and \`?\` marks an argument that may be left out.

- **beta**: the service may change it without notice.
- **deprecated**: the service discourages it, in the API named.
- **needs**: the feature flag the environment must have switched on; without it the service answers 403 or 404.
- **path not confirmed**: the service description shows no path. The one here follows its neighbours; if it answers 404,
  the client option \`routes\` puts another in its place.
- **page rendering**: fields and parameters come from the page-paginated rendering, the only one shown for the group.
- **repeatable**: repeating it is harmless although it is a POST, so it is retried as a PUT is.`;
}

function line(rows: readonly Operation[], sources: SourceIndex): string {
  const [row] = rows;
  if (!row) throw new Error("an operation without a row");
  const apis = APIS.filter((api) => rows.some((candidate) => candidate.apis.includes(api)));
  const methods = apis.map((api) => [api, methodOf(sources, api, row.id)] as const);
  const prefix = PREFIX[apis[0] ?? "main"];
  const cells = [
    `\`${call(row, apis, methods[0]?.[1])}\``,
    `\`${row.method} ${prefix}/${row.path}\``,
    apis.map((api) => API_NAME[api]).join(", "),
    flags(rows).join("; "),
    links(methods),
  ];
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}

function call({ id, path }: Operation, apis: readonly Api[], method: MethodSource | undefined): string {
  const owner = apis.length === 1 && apis[0] === "admin" ? "admin" : "client";
  const names = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
  // Several path parameters are one object, whose fields say more than its name.
  const parameters = (method?.parameters ?? []).map((name) => (name === "path" ? `{ ${names.join(", ")} }` : name));
  return `${owner}.${id}(${parameters.join(", ")})`;
}

function flags(rows: readonly Operation[]): string[] {
  const texts = rows.flatMap((row) => [
    ...(row.beta ? ["**beta**"] : []),
    ...Object.entries(row.deprecated ?? {}).map(
      ([api, instead]) => `**deprecated** in ${API_NAME[api as Api]}: ${withoutStop(instead)}`,
    ),
    ...(row.feature ? [`**needs** ${row.feature}`] : []),
    ...(row.pathConfirmed === false ? ["**path not confirmed**"] : []),
    ...(row.pageRendering ? ["**page rendering**"] : []),
    ...(row.idempotent ? ["**repeatable**"] : []),
    ...(row.note ? [withoutStop(row.note)] : []),
  ]);
  return [...new Set(texts)];
}

// One link where the clients share the method, else one for each client.
function links(methods: readonly (readonly [Api, MethodSource])[]): string {
  const places = Map.groupBy(methods, ([, { file, line }]) => `${file}#L${line}`);
  return [...places]
    .map(([place, of]) => {
      const [[, method] = []] = of;
      const name = places.size > 1 ? of.map(([api]) => API_NAME[api]).join(", ") : method?.file.split("/").at(-1);
      return `[${name}](../${place})`;
    })
    .join(", ");
}

function methodOf(sources: SourceIndex, api: Api, id: string): MethodSource {
  const method = sources.method(api, id);
  if (!method) throw new Error(`${id}: the ${API_NAME[api]} client has no such method in src`);
  return method;
}

function count(operations: readonly Operation[], api: Api): number {
  return operations.filter((row) => row.apis.includes(api)).length;
}

function organizationLast([a]: [string, unknown], [b]: [string, unknown]): number {
  return Number(a.startsWith("organization.")) - Number(b.startsWith("organization."));
}

function withoutStop(text: string): string {
  return text.replace(/\.$/, "");
}
