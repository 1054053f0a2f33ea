import * as z from "zod/mini";
import { ADMIN_ONLY, BOTH, MAIN_ONLY, type NotesOf, type OperationTable, operationTable, type PagedQuery, type TableNotes } from "../../core/operation.js";
import { enumeration, model, partial } from "../../core/schema/model.js";
import { dayText, timestamps, timeText } from "../../models/dates.js";
import { identifier } from "../../models/ids.js";
import type { OnlyInput } from "../../models/only-input.js";
import { type Call, call, ListedResource, type ListOptions, type Pages, pages, type RequestOptions, type Transport } from "../methods.js";

/** Kinds of record that a task can be about. */
export const TaskSubjectType = /* @__PURE__ */ enumeration(["Course", "Account", "User", "Lead", "Invoice", "PlannedCourse", "Order", "Program::Program", "Program::Edition"]);
export type TaskSubjectType = (typeof TaskSubjectType.values)[number];

const taskFields = () => ({
  /** Unique within the school. */
  id: z.int(),
  /** The user who created the task. */
  creator_id: z.int(),
  /** When the task was completed, as text in an unknown format; null until then. */
  completed_at: z.nullable(timeText()), // plain
  /** The user who completed the task; null while it is not completed. */
  completed_by_id: z.nullable(z.int()),
  /** The user who assigned the task. */
  assigned_by_id: z.nullable(z.int()),
  /** Title of the task. */
  name: z.string(), // note
  /** Full description of the task. */
  description: z.nullable(z.string()), // note
  /** When the task is due, as text; public documents do not show its format. */
  due_date: z.nullable(dayText()), // plain
  /** Whether the task is starred. */
  starred: z.boolean(),
  /** The user who has to complete the task. */
  assignee_id: z.nullable(z.int()),
  /** Kind of the record the task is about. */
  subject_type: z.nullable(TaskSubjectType.open),
  /** Identifier of the record the task is about. */
  subject_id: z.nullable(z.int()),
  ...timestamps(),
});

export const taskSchema = /* @__PURE__ */ model(taskFields);

/** A task. Only public documents show its fields. */
export interface Task extends z.infer<typeof taskSchema> {}

export const adminTaskSchema = /* @__PURE__ */ model(() => ({
  ...taskFields(),
  /** Identifiers of the labels on the task. */
  label_ids: z.optional(z.array(z.int())),
}));

/** A task as the Admin API returns it: with labels. */
export interface AdminTask extends z.infer<typeof adminTaskSchema> {}

const bodyFields = () => ({
  /** Title of the task. */
  name: z.string(),
  /** Full description of the task. */
  description: z.optional(z.nullable(z.string())),
  /** When the task is due, as text; public documents do not show its format. */
  due_date: z.optional(z.nullable(dayText())),
  /** Whether the task is starred. */
  starred: z.optional(z.boolean()),
  /** The user who has to complete the task. */
  assignee_id: z.optional(z.nullable(identifier())),
  /** Kind of the record the task is about. */
  subject_type: z.optional(z.nullable(TaskSubjectType.schema)),
  /** Identifier of the record the task is about. */
  subject_id: z.optional(z.nullable(identifier())),
  /** Whether the task is completed. Default false. */
  completed: z.optional(z.boolean()),
});

export const taskCreateSchema = /* @__PURE__ */ model(bodyFields);

/** Fields of a new task. */
export interface TaskCreate extends z.input<typeof taskCreateSchema> {}

export const taskUpdateSchema = /* @__PURE__ */ model(() => partial(bodyFields()));

/** Changes to a task. */
export interface TaskUpdate extends z.input<typeof taskUpdateSchema> {}

const operations = /* @__PURE__ */ operationTable(
  "tasks",
  { apis: MAIN_ONLY, scopes: [] },
  {
    list: { method: "GET", path: "tasks", response: taskSchema, paged: "cursor+page" },
    create: { method: "POST", path: "tasks", body: taskCreateSchema, response: taskSchema, status: 201 },
    get: { method: "GET", path: "tasks/{id}", response: taskSchema },
    update: { method: "PUT", path: "tasks/{id}", body: taskUpdateSchema, response: taskSchema },
    delete: { method: "DELETE", path: "tasks/{id}", apis: BOTH, status: 204 },
  },
);
export const taskOperations: OperationTable = operations;
export const taskNotes: TableNotes = {
  "*": { publicOnly: true },
  create: { note: "completed defaults to false" },
  update: { derived: { completed_at: ["completed"], completed_by_id: ["completed"] } },
} satisfies NotesOf<typeof operations>;

const adminOperations = /* @__PURE__ */ operationTable(
  "tasks",
  { apis: ADMIN_ONLY, scopes: [] },
  {
    list: { method: "GET", path: "tasks", response: adminTaskSchema, paged: "cursor+page" },
    create: { method: "POST", path: "tasks", body: taskCreateSchema, response: adminTaskSchema, status: 201 },
    get: { method: "GET", path: "tasks/{id}", response: adminTaskSchema },
    update: { method: "PUT", path: "tasks/{id}", body: taskUpdateSchema, response: adminTaskSchema },
  },
);
/** Operations whose response in {@link AdminTasks} differs from {@link Tasks}. */
export const adminTaskOperations: OperationTable = adminOperations;
export const adminTaskNotes: TableNotes = {
  "*": { publicOnly: true },
  create: { note: "completed defaults to false" },
  update: { derived: { completed_at: ["completed"], completed_by_id: ["completed"] } },
} satisfies NotesOf<typeof adminOperations>;

/** Tasks that users have to do (Main and Admin API). */
export class Tasks<T extends Task = Task> extends ListedResource<T, PagedQuery> {
  /** @internal */
  static readonly operations = taskOperations;

  /**
   * Lists tasks.
   * @example
   * for await (const task of client.tasks.list()) console.log(task.name, task.due_date);
   */
  list(query: PagedQuery = {}, options?: ListOptions): Pages<T> {
    return pages(this, operations.list, { query }, options) as Pages<T>;
  }

  /**
   * Creates a task.
   * @example
   * const task = await client.tasks.create({ name: "Call back", assignee_id: 7, subject_type: "Account", subject_id: 1 });
   */
  create(body: TaskCreate, options?: RequestOptions): Call<T> {
    return call(this, operations.create, { body }, options) as Call<T>;
  }

  /**
   * Reads one task.
   * @example
   * const task = await client.tasks.get(7);
   */
  get(id: number, options?: RequestOptions): Call<T> {
    return call(this, operations.get, { params: { id } }, options) as Call<T>;
  }

  /**
   * Changes a task; fields left out keep their value. `completed: true` completes it, `false` reopens it.
   * @example
   * await client.tasks.update(7, { completed: true });
   */
  update<Name extends PropertyKey>(id: number, body: OnlyInput<TaskUpdate, T, Name>, options?: RequestOptions): Call<T> {
    return call(this, operations.update, { params: { id }, body }, options) as Call<T>;
  }

  /**
   * Deletes a task; the record it is about is kept.
   * @example
   * await client.tasks.delete(7);
   */
  delete(id: number, options?: RequestOptions): Call<void> {
    return call(this, operations.delete, { params: { id } }, options);
  }
}

/** Tasks of the Admin API, which show their labels. */
export class AdminTasks extends Tasks<AdminTask> {
  /** @internal */
  static override readonly operations = adminTaskOperations;

  constructor(transport: Transport) {
    super(transport, adminOperations);
  }
}
