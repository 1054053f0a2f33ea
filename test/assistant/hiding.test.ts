import { describe, expect, test } from "vitest";
import { assistantTools } from "../../src/assistant/index.js";
import type { Shown } from "../../src/assistant/types.js";
import type { FetchLike } from "../../src/core/options.js";
import { AdminClient, type ClientOptions, MainClient } from "../../src/index.js";
import { allOperations } from "../../src/operations.js";
import { REFERENCES } from "../../src/resources/references.js";
import { drawCases } from "../support/amount.js";
import { options } from "../support/clients.js";
import { canaryService, recordOf } from "./support/canary-service.js";
import { PERSONAL } from "./support/personal-fields.js";

const SHOWN: readonly Shown[] = ["names", "contact", "numbers", "notes", "custom"];
// Only the responses to writes contain these fields, no GET does.
const ONLY_WRITTEN = ["adminCommentSchema.content", "commentSchema.content"];
const FORMS = [0, 1, 2, 3, 4];

// Reads every resource with all fields, in all forms, and with all its joins.
async function everything(show: readonly Shown[]): Promise<{ readonly text: string; readonly reads: number }> {
  const texts: string[] = [];
  let reads = 0;
  for (const form of FORMS) {
    for (const api of ["main", "admin"] as const) {
      const Client = api === "main" ? MainClient : AdminClient;
      const client = new Client(quick(canaryService(api, form).fetch));
      const audit = (entry: object) => texts.push(JSON.stringify(entry));
      const [, read, count] = assistantTools(client, { show, requests: 100_000, maxTokens: 100_000, audit });
      const ask = async (tool: typeof read, input: object) => {
        const answer = await tool?.execute(input);
        if (typeof answer === "object" && !("error" in answer)) reads++;
        texts.push(JSON.stringify(answer));
      };
      for (const { id: from, method, response, path, apis } of allOperations) {
        const isOffered = apis.includes(api) || (api === "main" && apis.includes("organization"));
        if (method !== "GET" || !response || !isOffered) continue;
        if (form > 0 && !JSON.stringify(recordOf(response, form)).includes("type")) continue;
        const where = Object.fromEntries(
          [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => [name, valueFor(name)]),
        );
        const fields = Object.keys(recordOf(response, form) as object).filter(
          (name) => name !== "invented_by_the_service",
        );
        await ask(read, { from, where, fields });
        await ask(read, { from, where, fields: ["invented_by_the_service"] });
        if (form > 0) continue;
        for (const by of fields) await ask(count, { from, where, by });
        for (const name of fields.map((field) => field.replace(/_id$/, ""))) {
          const kind = (REFERENCES as Readonly<Record<string, string>>)[name];
          const row =
            allOperations.find(({ id }) => id === `${kind}.get`) ??
            allOperations.find(({ id }) => id === `${kind}.list`);
          if (!row?.response) continue;
          const below = Object.keys(recordOf(row.response) as object).filter(
            (each) => each !== "invented_by_the_service",
          );
          await ask(read, { from, where, with: [name], fields: below.map((each) => `${name}.${each}`) });
        }
      }
    }
  }
  return { text: texts.join("\n"), reads };
}

function quick(fetch: FetchLike): ClientOptions {
  return options({ fetch, rateLimit: false, validation: "off" });
}

function valueFor(name: string): unknown {
  if (name === "object_type") return "accounts";
  return /slug$/.test(name) ? "rooms" : 1;
}

function canariesIn(text: string): ReadonlySet<string> {
  return new Set([...text.matchAll(/<<(\w+\.\w+)>>/g)].map(([, name = ""]) => name));
}

const fieldsOfClass = (part: string) => (PERSONAL[part] ?? "").split(/\s+/);

describe("personal fields of all records, including joined ones", () => {
  // Shows no class, and then each class alone.
  test.each(drawCases<[Shown[]]>([[[]], ...SHOWN.map((one): [Shown[]] => [[one]])], 2))(
    "with show %j a read contains no field of another class",
    async (show) => {
      const { text, reads } = await everything(show);
      const seen = canariesIn(text);
      const hidden = Object.keys(PERSONAL).filter((part) => !show.includes(part as Shown));
      expect(hidden.flatMap(fieldsOfClass).filter((name) => seen.has(name))).toEqual([]);
      expect([...seen].filter((name) => name.endsWith(".invented"))).toEqual([]);
      // Proves that the records were read.
      expect(reads).toBeGreaterThan(500);
      expect(seen).toContain("courseSchema.name");
      const shown = show.flatMap(fieldsOfClass).filter((name) => !ONLY_WRITTEN.includes(name));
      expect(shown.filter((name) => !seen.has(name))).toEqual([]);
    },
  );
});
