import type { StandardSchema } from "../clients/standard-schema.js";

/** Classes of fields, hidden from an assistant unless `show` names them. */
export type Shown = "names" | "contact" | "numbers" | "notes" | "custom";

/** An audit entry for one call of a tool. It contains no value of any record or argument. */
export interface AssistantAudit {
  /** When the call began, in ISO 8601. */
  readonly at: string;
  readonly tool: string;
  /** The resource; null if the call named no existing resource. */
  readonly resource: string | null;
  /** Names in the call that the library knows: filters, fields and joined records. */
  readonly names: readonly string[];
  /** Number of requests sent. */
  readonly requests: number;
  /** Number of rows in the answer. */
  readonly rows: number;
  /** Code of the error; null if the call succeeded. */
  readonly error: string | null;
  readonly ms: number;
}

/** Options for {@link assistantTools}. */
export interface AssistantOptions {
  /** `plan` adds a tool that plans writes; no tool applies them. Default `read`. */
  readonly access?: "read" | "plan" | undefined;
  /** The resources that the tools can use, such as `["courses", "organization.contacts"]`. Default: all. */
  readonly resources?: readonly string[] | undefined;
  /** Classes of fields that answers show. Default: none; a hidden value reads `[contact hidden]`. */
  readonly show?: readonly Shown[] | undefined;
  /** Maximum number of requests that these tools send together, 1 to 100,000. Default 100. */
  readonly requests?: number | undefined;
  /** Maximum number of tokens in an answer, by the library's estimate, 300 to 100,000. Default 2,000. */
  readonly maxTokens?: number | undefined;
  /** Called after every call of a tool. Exceptions it throws are ignored. */
  readonly audit?: ((entry: AssistantAudit) => void) | undefined;
  /** Folder for plan files, in Node, Bun or Deno; required with `access: "plan"`. */
  readonly plans?: string | undefined;
}

/** Text, or data whose `rows` list values in the order of `fields`. `error` explains what failed and what to do. */
export type AssistantAnswer = string | { readonly [name: string]: unknown };

/** A tool in the format that toolkits for language models accept. */
export interface AssistantTool {
  readonly name: "describe" | "read" | "count" | "plan";
  readonly description: string;
  /** Validates the input; also accepts it, or parts of it, as JSON text. */
  readonly inputSchema: StandardSchema;
  readonly jsonSchema: { readonly [keyword: string]: unknown };
  /** Hints of the Model Context Protocol. */
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: false;
    readonly openWorldHint: true;
  };
  /** Runs the tool. Never throws: the answer describes a failure. */
  execute(input: unknown, options?: { readonly signal?: AbortSignal | undefined }): Promise<AssistantAnswer>;
}
