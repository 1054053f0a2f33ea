import { assistantTools } from "../../src/assistant/index.js";
import type { AssistantAnswer, AssistantOptions } from "../../src/assistant/types.js";
import { type AdminClient, MainClient, type OrganizationClient } from "../../src/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { options } from "../support/clients.js";

const QUESTION = { for_type: "user", slug: "shoe_size", title: "Shoe size", field_type: "text" } as const;
export const sandbox = createSandbox({ data: { signupQuestions: [QUESTION] } });
export const school = (more: AssistantOptions = {}) =>
  toolsOf(new MainClient({ ...options(), ...sandboxOptions() }), more);

export function sandboxOptions(): { baseUrl: string; apiKey: string; fetch: typeof sandbox.fetch; rateLimit: false } {
  return { baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey, fetch: sandbox.fetch, rateLimit: false };
}

type Ask = (input?: unknown) => Promise<Answer>;
export type Answer = { readonly text: string; readonly rows: unknown[][]; readonly fields: string[] } & Record<
  string,
  unknown
>;

// The tools as functions whose results a test can inspect.
export function toolsOf(
  client: MainClient | AdminClient | OrganizationClient,
  more: AssistantOptions = {},
): Record<string, Ask> {
  const asks = assistantTools(client, more).map(({ name, execute }): [string, Ask] => [
    name,
    async (input = {}) => toAnswer(await execute(input)),
  ]);
  return Object.fromEntries(asks);
}

function toAnswer(answer: AssistantAnswer): Answer {
  return typeof answer === "string"
    ? { text: answer, rows: [], fields: [] }
    : ({ rows: [], fields: [], ...answer, text: JSON.stringify(answer) } as Answer);
}

export const definition = (access: "read" | "plan") =>
  JSON.stringify(
    assistantTools(new MainClient(options()), { access, plans: "plans" }).map(({ name, description, jsonSchema }) => ({
      name,
      description,
      inputSchema: jsonSchema,
    })),
  );
