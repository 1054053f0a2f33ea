import * as z from "zod/mini";
import { ADMIN_ONLY, BOTH, MAIN_ONLY, type OperationTable, operationTable, type PagedQuery } from "../../core/operation.js";
import { enumeration, model, openModel, partial } from "../../core/schema/model.js";
import { timestamps } from "../../models/dates.js";
import { identifier } from "../../models/ids.js";
import type { OnlyInput } from "../../models/only-input.js";
import { type Call, call, type ListOptions, type Pages, pages, type RequestOptions, Resource, type Transport } from "../methods.js";

/** Kinds of record that can be commented on (service description, Enumerations). */
export const CommentType = /* @__PURE__ */ enumeration(["Account", "Invoice", "Lead", "Order", "PlannedCourse", "Program::Editions::Edition", "Task", "User"]);
export type CommentType = (typeof CommentType.values)[number];

const commentFields = () => ({
  /** Unique within the school. */
  id: z.int(),
  /** Text of the comment. */
  content: z.string(), // note
  /** The user who wrote the comment. */
  creator_id: z.nullable(z.int()),
  ...timestamps(),
});

export const commentSchema = /* @__PURE__ */ model(commentFields);

/** A comment on a record. */
export interface Comment extends z.infer<typeof commentSchema> {}

export const adminCommentSchema = /* @__PURE__ */ model(() => ({
  ...commentFields(),
  /** Identifier of the record the comment is on. */
  commentable_id: z.optional(z.int()),
  /** Kind of the record the comment is on. */
  commentable_type: z.optional(CommentType.open),
}));

/** A comment as the Admin API returns it: it also names its record. */
export interface AdminComment extends z.infer<typeof adminCommentSchema> {}

export const orderCommentSchema = /* @__PURE__ */ openModel(() => ({
  /** Identifier of the comment. */
  id: z.optional(z.int()),
  /** Text of the comment. */
  content: z.optional(z.string()), // note
  /** The user who wrote the comment. */
  creator_id: z.optional(z.nullable(z.int())),
}));

/** A comment on an order. The service description does not show its fields; all fields in a response are kept. */
export interface OrderComment extends z.infer<typeof orderCommentSchema> {}

const bodyFields = () => ({
  /** Text of the comment. */
  content: z.string(),
});

export const commentCreateSchema = /* @__PURE__ */ model(() => ({
  ...bodyFields(),
  /** Identifier of the record to comment on. */
  commentable_id: identifier(),
  /** Kind of the record to comment on. */
  commentable_type: CommentType.schema,
}));

/** Fields of a new comment. */
export interface CommentCreate extends z.input<typeof commentCreateSchema> {}

export const commentUpdateSchema = /* @__PURE__ */ model(() => partial(bodyFields()));

/** Changes to a comment. */
export interface CommentUpdate extends z.input<typeof commentUpdateSchema> {}

const operations = /* @__PURE__ */ operationTable(
  "comments",
  { apis: MAIN_ONLY, scopes: [] },
  {
    create: { method: "POST", path: "comments", body: commentCreateSchema, response: commentSchema, status: 201 },
    delete: { method: "DELETE", path: "comments/{id}", apis: BOTH, status: 204 },
    update: { method: "PUT", path: "comments/{id}", body: commentUpdateSchema, response: commentSchema },
  },
);
export const commentOperations: OperationTable = operations;

const adminOperations = /* @__PURE__ */ operationTable(
  "comments",
  { apis: ADMIN_ONLY, scopes: [] },
  {
    create: { method: "POST", path: "comments", body: commentCreateSchema, response: adminCommentSchema, status: 201 },
    update: { method: "PUT", path: "comments/{id}", body: commentUpdateSchema, response: adminCommentSchema },
    listForOrders: { method: "GET", path: "orders/comments", response: orderCommentSchema, paged: "cursor+page", beta: true, pathConfirmed: false, scopes: null },
  },
);
/** Operations that {@link AdminComments} adds to {@link Comments}, or whose response differs. */
export const adminCommentOperations: OperationTable = adminOperations;

/** Comments on accounts, invoices, leads, orders and other records (Main and Admin API). */
export class Comments<T extends Comment = Comment> extends Resource {
  /** @internal */
  static readonly operations = commentOperations;

  /**
   * Adds a comment to a record.
   * @example
   * const comment = await client.comments.create({ content: "Called back.", commentable_id: 1, commentable_type: "Account" });
   */
  create(body: CommentCreate, options?: RequestOptions): Call<T> {
    return call(this, operations.create, { body }, options) as Call<T>;
  }

  /**
   * Deletes a comment.
   * @example
   * await client.comments.delete(1);
   */
  delete(id: number, options?: RequestOptions): Call<void> {
    return call(this, operations.delete, { params: { id } }, options);
  }

  /**
   * Changes the text of a comment.
   * @example
   * await client.comments.update(1, { content: "Called back, no answer." });
   */
  update<Name extends PropertyKey>(id: number, body: OnlyInput<CommentUpdate, T, Name>, options?: RequestOptions): Call<T> {
    return call(this, operations.update, { params: { id }, body }, options) as Call<T>;
  }
}

/** Comments of the Admin API, which name the record they belong to and can be listed for orders. */
export class AdminComments extends Comments<AdminComment> {
  /** @internal */
  static override readonly operations = adminCommentOperations;

  constructor(transport: Transport) {
    super(transport, adminOperations);
  }

  /**
   * Lists the comments on all orders. The service description shows no path for this operation: if the assumed one
   * returns 404, set the client option `routes`.
   * @beta
   * @example
   * for await (const comment of admin.comments.listForOrders()) console.log(comment.content);
   */
  listForOrders(query: PagedQuery = {}, options?: ListOptions): Pages<OrderComment> {
    return pages(this, adminOperations.listForOrders, { query }, options);
  }
}
