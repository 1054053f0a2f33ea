import { describe, expect, it } from "vitest";
import { fieldsOf } from "../../src/core/schema/traits.js";
import {
  Accounts,
  AdminClient,
  type CourseEnrollment,
  InputError,
  MainClient,
  OrganizationClient,
  PermissionDeniedError,
  type ProgramEnrollment,
} from "../../src/index.js";
import { allOperations, Transport } from "../../src/operations.js";
import { resourceOf } from "../../src/resources/references.js";
import { createSandbox } from "../../src/sandbox/index.js";

const world = (size: number | "small" = "small") => {
  const sandbox = createSandbox({ size, rateLimit: false });
  return { sandbox, client: new MainClient(sandbox) };
};

type ResourceOfLists = Record<string, () => { with(names: object): Promise<{ records: Record<string, unknown>[] }> }>;

describe("with", () => {
  it("adds the referenced records, or null for a missing one", async () => {
    const { sandbox, client } = world();
    sandbox.store.invoices.update(2, { order_id: null });
    sandbox.store.orders.delete(3);
    const invoices = await client.invoices.list().with({ account: true, order: true }).toArray();
    expect(invoices).toHaveLength(sandbox.store.invoices.count);
    for (const invoice of invoices) {
      const { account, order, ...own } = invoice;
      expect(own).toEqual(await client.invoices.get(invoice.id));
      expect(account).toEqual(await client.accounts.get(invoice.account_id));
      if (invoice.order_id === null || invoice.order_id === 3) expect(order).toBeNull();
      else expect(order?.id).toBe(invoice.order_id);
    }
  });

  it("keeps the joins of an earlier `with`", async () => {
    const { client } = world();
    const both = client.enrollments.list().with({ student: true }).with({ planned_course: true });
    for await (const { student_id, student, planned_course_id, planned_course } of both.take(10)) {
      expect([student?.id ?? null, planned_course?.id ?? null]).toEqual([student_id, planned_course_id]);
    }
    const once = await client.enrollments.list().with({ student: true, planned_course: true }).toArray({ max: 10 });
    expect(await both.toArray({ max: 10 })).toEqual(once);
  });

  it("joins users and organizations by each of their field names", async () => {
    const { sandbox } = world();
    const admin = new AdminClient(sandbox);
    const [enrollment] = await admin.enrollments.list().with({ student: true }).toArray({ max: 1 });
    expect(enrollment?.student?.id).toBe(enrollment?.student_id);
    expect(enrollment?.student?.roles).toContain("student");
    for (const { assignee, assignee_id, creator, creator_id } of await admin.tasks
      .list()
      .with({ assignee: true, creator: true })
      .toArray({ max: 100 })) {
      expect([assignee?.id ?? null, creator?.id]).toEqual([assignee_id, creator_id]);
    }
    const [member] = await admin.organizationAffiliations.list().with({ organization: true, user: true }).toArray();
    expect([member?.organization?.id, member?.user?.id]).toEqual([member?.organization_id, member?.user_id]);
    const [organization] = await admin.organizations.list().with({ primary_account: true }).toArray();
    expect(organization?.primary_account?.name).toBe(organization?.name);
  });

  it("resolves a field name that refers to different resources in different lists", async () => {
    const { sandbox } = world();
    const admin = new AdminClient(sandbox);
    const elements = await admin.personalProgramElements.list().with({ enrollment: true, course_enrollment: true });
    for (const { enrollment, enrollment_id, course_enrollment, course_enrollment_id } of elements.records) {
      const program: ProgramEnrollment | null = enrollment;
      expect(program).toEqual(await admin.programEnrollments.get(enrollment_id));
      expect(course_enrollment?.id ?? null).toBe(course_enrollment_id);
    }
    expect(elements.records.length).toBeGreaterThan(0);

    const organization = new OrganizationClient(sandbox);
    const attended = await organization.attendanceRecords.list().with({ enrollment: true, meeting: true });
    for (const { enrollment, enrollment_id, meeting, meeting_id } of attended.records) {
      const course: CourseEnrollment | null = enrollment;
      expect([course?.id, course?.contact_id]).toEqual([enrollment_id, expect.any(Number)]);
      expect(meeting).toEqual(sandbox.store.organization.meetings.get(meeting_id));
    }
    expect(attended.records.length).toBeGreaterThan(0);
  });

  it.each(["main", "admin", "organization"] as const)(
    "joins the references of each list of the %s API",
    async (api) => {
      const { sandbox } = world();
      const client = new { main: MainClient, admin: AdminClient, organization: OrganizationClient }[api](sandbox);
      const readable = new Set(allOperations.filter(({ apis }) => apis.includes(api)).map(({ id }) => id));
      const unread: string[] = [];
      let tried = 0;
      for (const { id, path, paged, apis, response } of allOperations) {
        if (!apis.includes(api) || paged === undefined || path.includes("{")) continue;
        const resource = id.slice(0, id.lastIndexOf("."));
        for (const field of Object.keys(fieldsOf(response)).filter((each) => each.endsWith("_id"))) {
          const name = field.slice(0, -3);
          const to = resourceOf(name, resource);
          if (to === null || !["list", "get"].some((method) => readable.has(`${to}.${method}`))) continue;
          const resources = client as unknown as Record<string, ResourceOfLists>;
          const owner = resources[api === "organization" ? (resource.split(".")[1] ?? "") : resource];
          const list = owner?.[id.slice(id.lastIndexOf(".") + 1)];
          if (!list) throw new Error(`the client has no ${id}`);
          const { records } = await list().with({ [name]: true });
          const referring = records.filter((record) => record[field] !== null);
          if (referring.length === 0) continue;
          tried++;
          if (referring.some((record) => record[name] === null)) unread.push(`${id}: ${name} in ${to}`);
        }
      }
      expect(unread).toEqual([]);
      expect(tried).toBeGreaterThan(3);
    },
  );

  it("does not change pages, checkpoints or the list", async () => {
    const { client } = world(500);
    const joined = client.invoices.list({ per_page: 50 }).with({ account: true });
    const first = await joined.first();
    expect(first.records.filter(({ account, account_id }) => account?.id !== account_id)).toEqual([]);
    const rest = await client.invoices
      .list({ per_page: 50 }, { resume: first.checkpoint })
      .with({ account: true })
      .toArray();
    expect(rest).toHaveLength(450);
    expect(rest.filter(({ account, account_id }) => account?.id !== account_id)).toEqual([]);
  });

  it("uses records that another list of the client has read, until they are older than maxAge", async () => {
    const { sandbox, client } = world();
    const read = async () => {
      const before = sandbox.requests.length;
      await client.invoices.list().with({ account: true }, { maxAge: 60_000 }).toArray();
      return sandbox.requests.length - before;
    };
    const first = await read();
    expect(await read()).toBe(1);
    await sandbox.clock.advance(60_001);
    expect(await read()).toBe(first);
  });

  it("refuses references that the records do not have, and unknown options", async () => {
    const { sandbox, client } = world();
    const joinWith = (references: unknown, options?: unknown): Promise<unknown> =>
      (client.invoices.list() as unknown as { with(...parts: unknown[]): Promise<unknown> }).with(references, options);
    await expect(joinWith({ acount: true })).rejects.toThrow('did you mean "with.account"');
    await expect(joinWith({ student: true })).rejects.toBeInstanceOf(InputError);
    await expect(joinWith({ account: false })).rejects.toThrow("must be true");
    await expect(joinWith("account")).rejects.toBeInstanceOf(InputError);
    await expect(joinWith({ account: true }, { maxage: 1 })).rejects.toThrow("maxAge");
    expect(sandbox.requests).toEqual([]);
  });

  it("fails if the key may not read the joined records", async () => {
    const { sandbox } = world();
    const apiKey = sandbox.createKey({ scopes: ["invoices:read"] });
    const client = new MainClient({ ...sandbox, apiKey });
    await expect(client.invoices.list().with({ account: true })).rejects.toBeInstanceOf(PermissionDeniedError);
  });

  it("names the missing client of a resource before anything is sent", async () => {
    const { sandbox } = world();
    const accounts = new Accounts(new Transport(sandbox)).list() as unknown as {
      with(references: object): Promise<unknown>;
    };
    await expect(accounts.with({ personal_user: true })).rejects.toMatchObject({
      message: expect.stringContaining("personal_user"),
      issues: [{ path: "with.personal_user", message: "cannot be read with this client" }],
    });
    expect(sandbox.requests).toEqual([]);
  });
});
