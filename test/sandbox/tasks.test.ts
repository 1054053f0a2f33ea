import { describe, expect, test } from "vitest";
import { NotFoundError, UnprocessableEntityError } from "../../src/index.js";
import { createSandbox, type Sandbox } from "../../src/sandbox/index.js";
import type { TaskSubjectType } from "../../src/schemas.js";
import { admin, eventsOf, ids, main } from "./support.js";

const all = { max: 1_000 };
const small = (): Sandbox => createSandbox({ size: 100, now: "2030-06-01T12:00:00.000Z" });

describe("tasks", () => {
  test("are consistent internally and with the records they refer to, if seeded", () => {
    const { store } = createSandbox({ size: 300, seed: 4 });
    const subjects: Partial<Record<TaskSubjectType, { get(id: number): unknown }>> = {
      Account: store.accounts,
      Course: store.courses,
      Invoice: store.invoices,
      Lead: store.leads,
      Order: store.orders,
      PlannedCourse: store.plannedCourses,
      "Program::Edition": store.organization.programEditions,
      User: store.users,
    };
    for (const task of store.tasks) {
      expect(task.completed_by_id === null).toBe(task.completed_at === null);
      expect(task.assigned_by_id === null).toBe(task.assignee_id === null);
      expect(task.subject_id === null).toBe(task.subject_type === null);
      for (const id of [task.creator_id, task.assignee_id, task.completed_by_id]) {
        if (id !== null) expect(store.users.get(id)?.roles).toContain("admin");
      }
      const subject = subjects[task.subject_type as TaskSubjectType];
      if (subject) expect(subject.get(task.subject_id as number), `task ${task.id}`).toBeDefined();
      for (const label of task.label_ids ?? []) expect(store.labels.get(label)?.model_type).toBe("Task");
    }
    const completed = [...store.tasks].filter(({ completed_at }) => completed_at !== null).length;
    expect(completed).toBeGreaterThan(0);
    expect(completed).toBeLessThan(store.tasks.count);
  });

  test("can be listed, created, read, changed and deleted; only the Admin API shows labels", async () => {
    const sandbox = small();
    const { tasks } = main(sandbox);
    const every = await tasks.list({ per_page: 7 }).toArray(all);
    expect(ids(every)).toEqual(Array.from({ length: 20 }, (_, at) => at + 1));
    const subject = { subject_type: "Account", subject_id: 3 } as const;
    const task = await tasks.create({ name: "Call back", assignee_id: 7, due_date: "2030-06-09", ...subject });
    expect(task).toMatchObject({
      id: 21,
      name: "Call back",
      description: null,
      due_date: "2030-06-09",
      starred: false,
      assignee_id: 7,
      creator_id: 1,
      assigned_by_id: 1,
      completed_at: null,
      completed_by_id: null,
      ...subject,
    });
    expect(await admin(sandbox).tasks.get(21)).toEqual({ ...task, label_ids: [] });
    expect(every[0]).not.toHaveProperty("label_ids");
    const starred = await tasks.update(21, { starred: true, subject_type: null, subject_id: null });
    expect(starred).toEqual({
      ...task,
      starred: true,
      subject_type: null,
      subject_id: null,
      updated_at: starred.updated_at,
    });
    expect(await tasks.delete(21)).toBeUndefined();
    await expect(tasks.get(21)).rejects.toBeInstanceOf(NotFoundError);
  });

  test("can be completed, reopened and reassigned", async () => {
    const sandbox = small();
    const { tasks } = main(sandbox);
    const { id } = await tasks.create({ name: "Reserve a room" });
    const done = await tasks.update(id, { completed: true });
    expect(done.completed_at).toMatch(/^2030-06-01T12:00/);
    expect(done.completed_by_id).toBe(1);
    const { completed_at } = done;
    await sandbox.clock.advance(60_000);
    expect(await tasks.update(id, { completed: true, name: "Reserve it" })).toMatchObject({ completed_at });
    expect(await tasks.update(id, { assignee_id: 7 })).toMatchObject({ completed_at, assigned_by_id: 1 });
    expect(await tasks.update(id, { completed: false, assignee_id: null })).toMatchObject({
      completed_at: null,
      completed_by_id: null,
      assigned_by_id: null,
    });
    expect((await tasks.create({ name: "Done already", completed: true })).completed_by_id).toBe(1);
  });

  test("refer to existing records", async () => {
    const { tasks } = main(small());
    const errorsOf = async (call: PromiseLike<unknown>) => {
      const error = await Promise.resolve(call).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(UnprocessableEntityError);
      return Object.keys((error as UnprocessableEntityError).errors as object);
    };
    const name = "Call back";
    expect(await errorsOf(tasks.create({ name, assignee_id: 999 }))).toEqual(["assignee_id"]);
    expect(await errorsOf(tasks.create({ name, subject_type: "User", subject_id: 999 }))).toEqual(["subject_id"]);
    const { id } = await tasks.create({ name, subject_type: "Account", subject_id: 90 });
    expect(await errorsOf(tasks.update(id, { subject_type: "Course" }))).toEqual(["subject_id"]);
    expect(await tasks.update(id, { subject_type: "User" })).toMatchObject({ subject_type: "User", subject_id: 90 });
  });

  test("cause no events", async () => {
    const sandbox = small();
    const events = eventsOf(sandbox, ["*"]);
    const { tasks } = main(sandbox);
    const { id } = await tasks.create({ name: "Call back" });
    await tasks.delete(id);
    await sandbox.webhooks.settled();
    expect(events).toEqual([]);
  });
});
