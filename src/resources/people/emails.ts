import * as z from "zod/mini";
import { ADMIN_ONLY, type NotesOf, type OperationTable, operationTable, type TableNotes } from "../../core/operation.js";
import { model } from "../../core/schema/model.js";
import { type Call, call, type RequestOptions, Resource } from "../methods.js";

export const emailSendSchema = /* @__PURE__ */ model(() => ({
  /** Sender; tags in double curly braces are allowed, for example the educator's reply-to tag. */
  from: z.string(),
  /** Subject; tags in double curly braces are allowed, for example the user's full-name tag. */
  subject: z.string(),
  /** Content; HTML and tags in double curly braces are allowed. */
  body: z.string(),
}));

/**
 * An e-mail to send. All text reaches the service unchanged, including tags in double curly braces, HTML, quotes and
 * line breaks.
 */
export interface EmailSend extends z.input<typeof emailSendSchema> {}

const operations = /* @__PURE__ */ operationTable(
  "emails",
  { apis: ADMIN_ONLY, beta: true, scopes: ["emails:manage"] },
  {
    send: { method: "POST", path: "users/{user_id}/emails", body: emailSendSchema, status: 201 },
  },
);
export const emailOperations: OperationTable = operations;
export const emailNotes: TableNotes = {
  send: { note: "sends at once; tags in double curly braces and HTML in the body reach the service unchanged" },
} satisfies NotesOf<typeof operations>;

/** E-mails to users (Admin API). */
export class Emails extends Resource {
  /** @internal */
  static readonly operations = emailOperations;

  /**
   * Sends an e-mail to a user at once. The call is never retried after an ambiguous failure, so that the user cannot
   * get it twice.
   * @beta
   * @example
   * const body = "<p>Dear student,</p>\n<p>Your course starts on \"Monday\".</p>";
   * await admin.emails.send(7, { from: "office@school.example", subject: "Your course", body });
   */
  send(userId: number, body: EmailSend, options?: RequestOptions): Call<void> {
    return call(this, operations.send, { params: { user_id: userId }, body }, options);
  }
}
