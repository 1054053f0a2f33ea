import { describe, expect, test } from "vitest";
import { NotFoundError } from "../../src/index.js";
import { admin, failure, main, small } from "./support.js";

describe("single resources behave as the service description says", () => {
  test("authentications: a user's last one cannot be deleted in the Main API, but in the Admin API", async () => {
    const sandbox = small();
    const error = await failure(main(sandbox).authentications.delete({ user_id: 1, id: 1 }));
    expect(error.status).toBe(422);
    expect(error.errors).toEqual({ base: ["the last authentication of a user cannot be removed"] });
    const second = await main(sandbox).authentications.create({
      user_id: 1,
      uid: "one@example.com",
      authentication_provider_type: "openid_connect",
    });
    expect(await main(sandbox).authentications.delete({ user_id: 1, id: 1 })).toBeUndefined();
    expect(await admin(sandbox).authentications.delete({ user_id: 1, id: second.id })).toBeUndefined();
    expect(await admin(sandbox).authentications.listForUser(1).toArray({ max: 10 })).toEqual([]);
  });

  test("authentications: another user's is not found below this user", async () => {
    await expect(admin(small()).authentications.delete({ user_id: 2, id: 1 })).rejects.toBeInstanceOf(NotFoundError);
    await expect(admin(small()).authentications.listForUser(999).toArray({ max: 10 })).rejects.toBeInstanceOf(
      NotFoundError,
    );
  });

  test("affiliations: key_contact is false by default, and accounts count their users", async () => {
    const sandbox = small();
    const { affiliations, accounts } = main(sandbox);
    const before = (await accounts.get(4)).users_count;
    const created = await affiliations.create({ user_id: 8, account_id: 4 });
    expect(created.key_contact).toBe(false);
    expect((await accounts.get(4)).users_count).toBe(before + 1);
    expect((await affiliations.update(created.id, { key_contact: true, account_id: 5 })).key_contact).toBe(true);
    expect((await accounts.get(4)).users_count).toBe(before);
    await affiliations.delete(created.id);
    expect((await accounts.get(5)).users_count).toBe(
      sandbox.store.affiliations.filter(({ account_id }) => account_id === 5).length,
    );
  });

  test("leads: quality is returned as text; products replace the deprecated fields for courses", async () => {
    const sandbox = small();
    const { leads } = main(sandbox);
    const lead = await leads.create({ title: "Interested", quality: 4, comment: "Call back", course_ids: [2] });
    expect(lead).toMatchObject({
      quality: "4",
      status: "prospect",
      lead_products: [],
      courses_leads: [{ course_id: 2, planned_course_id: null, lead_id: lead.id }],
    });
    expect(
      sandbox.store.comments.find(
        ({ commentable_type, commentable_id }) => commentable_type === "Lead" && commentable_id === lead.id,
      )?.content,
    ).toBe("Call back");
    const both = await leads.create({
      title: "Both",
      quality: null,
      course_ids: [2],
      lead_products: [{ catalog_product_id: 3 }],
    });
    expect(both).toMatchObject({
      quality: null,
      courses_leads: [],
      lead_products: [{ catalog_product_id: 3, catalog_variant_id: null }],
    });
  });

  test("labels: an order can have one", async () => {
    const sandbox = small();
    sandbox.store.orders.update(7, { label_ids: [] });
    expect(await main(sandbox).labels.addToOrder(7, { label_id: 2 })).toBeUndefined();
    expect(sandbox.store.orders.get(7)?.label_ids).toEqual([2]);
    await expect(main(sandbox).labels.addToOrder(999, { label_id: 2 })).rejects.toBeInstanceOf(NotFoundError);
    expect((await failure(main(sandbox).labels.addToOrder(7, { label_id: 999 }))).status).toBe(422);
  });

  test("comments: Main returns fewer fields than Admin", async () => {
    const sandbox = small();
    const body = { content: "Called", commentable_id: 3, commentable_type: "Invoice" as const };
    expect(await main(sandbox).comments.create(body)).not.toHaveProperty("commentable_id");
    expect(await admin(sandbox).comments.create(body)).toMatchObject(body);
    for (const commentable_type of ["Invoice", "Task"] as const) {
      const unknown = { ...body, commentable_type, commentable_id: 999 };
      expect((await failure(admin(sandbox).comments.create(unknown))).errors).toHaveProperty("commentable_id");
      expect(await admin(sandbox).comments.create({ ...unknown, commentable_id: 8 })).toMatchObject({
        commentable_id: 8,
      });
    }
  });

  test("e-mails: sent ones are in the store, with tags unchanged", async () => {
    const sandbox = small();
    const email = {
      from: "{{ educator.reply_to }}",
      subject: "Hello {{ user.full_name }}",
      body: '<p>"Line"\nbreak</p>',
    };
    expect(await admin(sandbox).emails.send(4, email)).toBeUndefined();
    expect([...sandbox.store.emails]).toMatchObject([{ ...email, user_id: 4 }]);
    await expect(admin(sandbox).emails.send(999, email)).rejects.toBeInstanceOf(NotFoundError);
  });
});
