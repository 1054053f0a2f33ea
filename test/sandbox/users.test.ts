import { describe, expect, test } from "vitest";
import { NotFoundError, OrganizationClient, UnprocessableEntityError } from "../../src/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { admin, eventsOf, ids, main, small } from "./support.js";

const all = { max: 1_000 };
const alva = { first_name: "Alva", last_name: "Sample", email: "alva@example.com" };
const street = { address: "Main Street 1", postal_code: "1000 AA", city: "Exampletown", country: "NL" } as const;

describe("seeded users", () => {
  test("are consistent with the records that refer to them", () => {
    const { store } = createSandbox({ size: 200, seed: 5 });
    const rolesOf = (id: number) => store.users.get(id)?.roles ?? [];
    for (const { student_id } of store.enrollments) expect(rolesOf(student_id)).toContain("student");
    for (const { user_id, key_contact } of store.affiliations) {
      if (key_contact) expect(rolesOf(user_id)).toContain("customer");
    }
    for (const { administrator_id } of store.leads) {
      if (administrator_id !== null) expect(rolesOf(administrator_id)).toContain("admin");
    }
    for (const { personal_user_id, name, email } of store.accounts) {
      const user = personal_user_id === null ? undefined : store.users.get(personal_user_id);
      if (user) expect([name.startsWith(user.first_name), email]).toEqual([true, user.email]);
    }
    for (const user of store.users) {
      expect(user.description).toBe(user.teacher_description);
      expect(user.teacher_headline !== null).toBe(user.roles.includes("teacher"));
      for (const label of user.label_ids) expect(store.labels.get(label)?.model_type).toBe("User");
    }
    expect(new Set([...store.users].map(({ email }) => email)).size, "one address is there twice").toBe(199);
    expect(new Set([...store.users].flatMap(({ roles }) => roles)).size).toBe(4);
  });

  test("are the contacts of the Organization API", async () => {
    const sandbox = small();
    const { id } = await main(sandbox).users.create(alva);
    const contacts = await new OrganizationClient(sandbox.main).contacts.list().toArray(all);
    expect(contacts.at(-1)).toEqual({ id, ...alva, middle_name: null });
  });
});

describe("lists of users", () => {
  test("have pages, sorting, and filters for role and e-mail address", async () => {
    const { users } = main(small());
    const every = await users.list({ per_page: 15 }).toArray(all);
    expect(ids(every)).toEqual(Array.from({ length: 40 }, (_, at) => at + 1));
    const newest = await users.list({ sort: ["created_at:desc"], per_page: 15 }).toArray(all);
    expect(ids(newest)).toEqual(ids(every).reverse());
    expect(ids(await users.list({ role: "teacher" }).toArray(all))).toEqual([1, 2, 3, 4]);
    expect(ids(await users.list({ email: every[6]?.email ?? "" }).toArray(all))).toEqual([7]);
    expect(await users.list({ email: "nobody@example.com" }).toArray(all)).toEqual([]);
  });

  test("have filters for labels, as numbers or text", async () => {
    const sandbox = small();
    for (const { id } of sandbox.store.users) sandbox.store.users.update(id, { label_ids: [] });
    sandbox.store.users.update(3, { label_ids: [4] });
    sandbox.store.users.update(5, { label_ids: [12, 4] });
    sandbox.store.users.update(8, { label_ids: [12] });
    const { users } = main(sandbox);
    expect(ids(await users.list({ label_id: 4 }).toArray(all))).toEqual([3, 5]);
    expect(ids(await users.list({ label_id: ["4", 12] }).toArray(all))).toEqual([3, 5, 8]);
  });
});

describe("writing users", () => {
  test("creates one with the sent fields, in both APIs", async () => {
    const sandbox = small();
    const body = { ...alva, label_ids: [4], custom: { diet: "vegan" }, address_attributes: street };
    const user = await main(sandbox).users.create({ ...body, locale: "nl" });
    expect(user).toMatchObject({
      ...alva,
      id: 41,
      middle_name: null,
      slug: "alva-sample-41",
      roles: [],
      label_ids: [4],
      locale: "nl",
      wants_newsletter: false,
      teacher_enrollments_count: 0,
      custom: { diet: "vegan" },
      address: { ...street, addressee: null },
    });
    expect(user.created_at).toMatch(/^2030-06-01T12:00/);
    expect(await admin(sandbox).users.get(41)).toEqual(user);
    await expect(main(sandbox).users.get(42)).rejects.toBeInstanceOf(NotFoundError);
  });

  test("enables a login and sends an e-mail with with_authentication, and does neither without it", async () => {
    const sandbox = small();
    const { users, authentications } = main(sandbox);
    const without = await users.create({ ...alva, email: "other@example.com" });
    expect(await authentications.listForUser(without.id).toArray(all)).toEqual([]);
    expect(sandbox.store.emails.count).toBe(0);
    const { id } = await users.create({ ...alva, with_authentication: true });
    const logins = await authentications.listForUser(id, { provider: "native" }).toArray(all);
    expect(logins).toMatchObject([{ user_id: id, uid: alva.email }]);
    expect([...sandbox.store.emails]).toMatchObject([{ user_id: id, subject: "Your login details" }]);
    await admin(sandbox).emails.send(id, { from: "info@example.org", subject: "Welcome", body: "Hello" });
    expect(sandbox.store.emails.at(1)).toMatchObject({ user_id: id, subject: "Welcome" });
  });

  test("refuses an e-mail address of another user, in either case", async () => {
    const sandbox = small();
    const { users } = main(sandbox);
    const { email } = await users.get(7);
    const before = sandbox.store.users.count;
    for (const call of [users.create({ ...alva, email: email.toUpperCase() }), users.update(8, { email })]) {
      const error = await Promise.resolve(call).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(UnprocessableEntityError);
      expect((error as UnprocessableEntityError).errors).toEqual({ email: ["has already been taken"] });
    }
    expect(sandbox.store.users.count).toBe(before);
    expect((await users.update(7, { email, last_name: "Renamed" })).last_name).toBe("Renamed");
    expect((await users.update(7, { email: email.toUpperCase() })).email).toBe(email.toUpperCase());
  });

  test("keeps omitted fields in an update, replaces labels, merges custom fields and address", async () => {
    const sandbox = small();
    const { users } = main(sandbox);
    const before = await users.create({
      ...alva,
      label_ids: [4],
      address_attributes: street,
      custom: { diet: "none" },
    });
    const after = await users.update(before.id, {
      label_ids: [12],
      custom: { size: "L" },
      address_attributes: { city: "Testhaven" },
    });
    expect(after).toEqual({
      ...before,
      label_ids: [12],
      custom: { diet: "none", size: "L" },
      address: { ...before.address, city: "Testhaven" },
      updated_at: after.updated_at,
    });
    expect((await users.update(before.id, { label_ids: [], address_attributes: null })).address).toBeNull();
    expect((await users.get(before.id)).label_ids).toEqual([]);
    await expect(users.update(before.id, { label_ids: [999] })).rejects.toBeInstanceOf(UnprocessableEntityError);
  });

  test("changes the login with the e-mail address and the personal account with the name; an administrator keeps the address", async () => {
    const sandbox = small();
    const { users, accounts, authentications } = main(sandbox);
    await users.update(7, { ...alva, middle_name: null });
    expect((await accounts.get(7)).name).toBe("Alva Sample");
    expect((await authentications.listForUser(7).toArray(all)).map(({ uid }) => uid)).toEqual([alva.email]);
    const { email, roles } = await users.get(26);
    expect(roles).toContain("admin");
    expect(await users.update(26, { email: "new@example.com", locale: "en" })).toMatchObject({ email, locale: "en" });
  });

  test("causes user.created and user.updated", async () => {
    const sandbox = small();
    const events = eventsOf(sandbox, ["user.*"]);
    const { users } = main(sandbox);
    const { id } = await users.create(alva);
    await users.update(id, { wants_newsletter: true });
    await sandbox.webhooks.settled();
    expect(events).toEqual([`user.created ${id}`, `user.updated ${id}`]);
  });
});
