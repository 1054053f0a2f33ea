import type { StandardSchema } from "../clients/standard-schema.js";

/** What an assistant may be shown beside identifiers and what is in no class: each is hidden unless it is named. */
export type Shown = "names" | "contact" | "numbers" | "notes" | "custom";

/** What one call of a tool did, without a value of any record or argument. */
export interface AssistantAudit {
  /** When it began, as ISO 8601. */
  readonly at: string;
  readonly tool: string;
  /** The resource; null if the call named none that there is. */
  readonly resource: string | null;
  /** Names of the filters, fields and joined records that were asked for, as far as the library knows them. */
  readonly names: readonly string[];
  /** Requests that were sent. */
  readonly requests: number;
  /** Rows of the answer. */
  readonly rows: number;
  /** Code of the error; null if there was none. */
  readonly error: string | null;
  readonly ms: number;
}

/** Options of {@link assistantTools}. */
export interface AssistantOptions {
  /** `plan` adds the tool that plans writes; none applies them. Default `read`. */
  readonly access?: "read" | "plan" | undefined;
  /** The resources that the tools know: `["courses", "organization.contacts"]`. Default: all. */
  readonly resources?: readonly string[] | undefined;
  /** Classes of fields that answers show. Default: none of them; `[contact hidden]` stands for a value. */
  readonly show?: readonly Shown[] | undefined;
  /** Most requests that these tools send together, 1 to 100,000. Default 100. */
  readonly requests?: number | undefined;
  /** Most tokens of an answer, as the library estimates them, 300 to 100,000. Default 2,000. */
  readonly maxTokens?: number | undefined;
  /** Called after every call of a tool. What it throws changes nothing. */
  readonly audit?: ((entry: AssistantAudit) => void) | undefined;
  /** The folder for the files of plans, in Node; needed with `access: "plan"`. */
  readonly plans?: string | undefined;
}

/** An answer: text, or data whose `rows` stand in the order of `fields`. With `error`, what failed and what to do. */
export type AssistantAnswer = string | { readonly [name: string]: unknown };

/** One tool, as kits for language models take them. */
export interface AssistantTool {
  readonly name: "describe" | "read" | "count" | "plan";
  readonly description: string;
  /** Checks the input; also takes it, or its parts, as JSON text. */
  readonly inputSchema: StandardSchema;
  readonly jsonSchema: { readonly [keyword: string]: unknown };
  /** Hints of the Model Context Protocol. */
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: false;
    readonly openWorldHint: true;
  };
  /** Carries out a call. It never throws: what failed is told in the answer. */
  execute(input: unknown, options?: { readonly signal?: AbortSignal | undefined }): Promise<AssistantAnswer>;
}
