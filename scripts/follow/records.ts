import { APIS, type Contracts, type Specs } from "./contract.ts";

/** Writes `api/records.md`: a line for each field that is read or sent, because no other report names them. */
export function recordsReport(contracts: Contracts): string {
  const lines = new Map<string, string[]>();
  for (const api of APIS) {
    const { records = {}, payloads = {}, operations = {} } = contracts[api] ?? {};
    const add = (prefix: string, fields: Specs, mark: "optional" | "required") => {
      for (const [name, spec] of Object.entries(fields)) {
        const canLack = mark === "optional" ? spec.optional : !spec.required;
        const line = `${prefix}.${name}${canLack ? "?" : ""}: ${spec.type.replaceAll("|", " | ")}`;
        lines.set(line, [...(lines.get(line) ?? []), api]);
      }
    };
    for (const [name, fields] of Object.entries(records)) add(name, fields, "optional");
    for (const [name, fields] of Object.entries(payloads)) add(name, fields, "required");
    for (const { id, query, body } of Object.values(operations)) {
      add(`${id} query`, query, "required");
      add(`${id} body`, body ?? {}, "required");
    }
  }
  const sorted = [...lines].sort(([one], [other]) => (one < other ? -1 : 1));
  const text = sorted.map(([line, apis]) => `${line} (${apis.join(", ")})\n`).join("");
  return `# Fields\n\nEvery field of a record or an input, with its type; \`?\` marks one that can be missing.\n\n\`\`\`text\n${text}\`\`\`\n`;
}
