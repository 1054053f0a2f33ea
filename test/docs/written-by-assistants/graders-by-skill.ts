// What each act must have done: asked of files, output and the service's records, never of the program's text.
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { freePort } from "../../support/program.ts";
import { ANOTHER, hmacOf, MINE, TENANT } from "../../webhooks/service-signer.js";
import { place } from "../support/place.ts";
import type { Grader } from "./graders.ts";
import {
  billed,
  comma,
  courseOf,
  excel,
  finished,
  holds,
  json,
  jsonLines,
  last,
  linesOf,
  offered,
  one,
  owed,
  placesIn,
  sorted,
} from "./output.ts";

export const gradersBySkill: Record<string, Grader> = {
  enroll: async (start, { sandbox: { store } }) => {
    const students = store.users.filter(({ roles }) => roles.includes("student")).slice(-2);
    const [first = 0, second = 0] = students.map(({ id }) => id);
    const { id, variantable_id } = offered(store, first);
    const before = store.orders.count;
    const args = [variantable_id, 1, first, second].map(String);
    for (let times = 0; times < 2; times++)
      expect(await json(start(args))).toEqual({ order: last(store.orders).number });
    expect(store.orders.count).toBe(before + 1);
    const order = { catalog_variant_id: id, account_id: 1, creator_id: first, number_of_students: 2, status: "active" };
    expect(last(store.orders)).toMatchObject(order);
    for (const student of [first, second])
      expect(placesIn(store, variantable_id).filter(({ student_id }) => student_id === student)).toHaveLength(1);
  },

  attendance: async (start, { sandbox: { store } }) => {
    const fits = (status: string) => status !== "canceled";
    const meeting = one(store.meetings, (meeting) => placesIn(store, meeting.planned_course_id, fits).length > 1);
    const places = placesIn(store, meeting.planned_course_id, fits);
    const [absent] = places;
    const email = store.users.get(absent?.student_id ?? 0)?.email ?? "";
    await finished(start([String(meeting.planned_course_id), String(meeting.id), email]));
    const states = places.map(({ id }) =>
      store.attendances.find((one) => one.enrollment_id === id && one.meeting_id === meeting.id),
    );
    expect(states.map((one) => one?.state)).toEqual(places.map((one) => (one === absent ? "absent" : "attended")));
  },

  "who-owes": async (start, { sandbox: { store } }) => {
    const due = store.invoices.filter(({ status }) => owed(status)).flatMap((one) => one.expiration_date ?? []);
    const day = due.sort()[Math.floor(due.length / 2)]?.slice(0, 10) ?? "";
    const expected = store.invoices
      .filter((one) => owed(one.status) && one.expiration_date !== null && one.expiration_date.slice(0, 10) < day)
      .filter(({ total_open }) => Number(total_open) > 0)
      .map(({ account_name, number, total_open }) => ({ account_name, number, total_open }));
    expect(sorted(await jsonLines(start([day])))).toEqual(sorted(expected));
    expect(expected.length).toBeGreaterThan(3);
  },

  "open-invoices-file": async (start, { sandbox, read }) => {
    const expected = sandbox.store.invoices
      .filter(({ status, total_open }) => owed(status) && Number(total_open) >= 500)
      .map(({ number, account_name, total_open }) => ({ number, account_name, total_open: comma(total_open) }));
    await finished(start());
    expect(sorted(excel(read("open.csv")))).toEqual(sorted(expected));
    expect(expected.length).toBeGreaterThan(3);
    const before = read("open.csv");
    sandbox.revokeKey(sandbox.apiKey);
    expect((await start().ended).code).not.toBe(0);
    expect(read("open.csv")).toBe(before);
  },

  "year-numbers": async (start, { sandbox: { store } }) => {
    const [year = ""] = one(store.enrollments, (one) => one.start_date !== null).start_date?.split("-") ?? [];
    const numbers = () => {
      const enrolled = store.enrollments.filter(({ start_date }) => start_date?.startsWith(year) === true);
      return { enrolled: enrolled.length, completed: enrolled.filter(({ status }) => status === "completed").length };
    };
    expect(await json(start([year]))).toEqual(numbers());
    const before = numbers();
    const first = one(store.enrollments, (one) => one.start_date?.startsWith(year) === true);
    store.enrollments.delete(first.id);
    expect(await json(start([year]))).toEqual(numbers());
    expect(numbers()).not.toEqual(before);
    expect(await json(start(["1999"]))).toEqual({ enrolled: 0, completed: 0 });
  },

  "thirty-schools": async (start, { cwd, read }) => {
    const schools = await Promise.all(["north", "east", "south"].map(async (name) => ({ name, ...(await place()) })));
    const told = schools.map(({ name, env }) => ({
      name,
      baseUrl: env.EDUCATION_ADMIN_BASE_URL,
      apiKey: env.EDUCATION_ADMIN_API_KEY,
    }));
    writeFileSync(join(cwd, "schools.json"), JSON.stringify(told));
    schools[1]?.sandbox.revokeKey(schools[1].sandbox.apiKey);
    expect(await finished(start(), 1)).toContain("east");
    expect(existsSync(join(cwd, "east.csv"))).toBe(false);
    for (const { name, sandbox } of [schools[0], schools[2]] as typeof schools) {
      const open = sandbox.store.invoices.filter(({ status }) => owed(status));
      expect(linesOf(read(`${name}.csv`))).toHaveLength(open.length + 1);
    }
  },

  "pay-once": async (start, { sandbox: { store } }) => {
    const { id, total_open } = one(store.invoices, ({ status }) => status === "open");
    const before = store.payments.count;
    for (let times = 0; times < 2; times++)
      expect((await finished(start([String(id), total_open, "2030-06-30"]))).trim()).toBe("paid");
    expect(store.payments.count).toBe(before + 1);
    expect(last(store.payments)).toMatchObject({ invoice_id: id, amount: total_open, date: "2030-06-30" });
  },

  "bank-file": async (start, { sandbox: { store }, cwd }) => {
    const open = store.invoices.filter(({ status }) => status === "open").slice(0, 3);
    const lines = open.map(({ id, total_open }) => `${id},${total_open},2030-06-30`);
    writeFileSync(join(cwd, "payments.csv"), `Invoice,Amount,Date\n${lines.join("\n")}\n`);
    const before = store.payments.count;
    for (let times = 0; times < 2; times++) expect(await json(start())).toEqual({ payments: 3 });
    expect(store.payments.count).toBe(before + 3);
    for (const { id } of open) expect(store.invoices.get(id)?.status).toBe("paid");
  },

  "students-of-course": async (start, { sandbox: { store } }) => {
    const course = courseOf(store);
    const students = placesIn(store, course).flatMap(({ student_id }) => store.users.get(student_id) ?? []);
    const expected = students
      .sort((one, other) => one.last_name.localeCompare(other.last_name))
      .map(({ first_name, middle_name, last_name, email }) => {
        return { name: [first_name, middle_name, last_name].filter((part) => part !== null).join(" "), email };
      });
    expect(await jsonLines(start([String(course)]))).toEqual(expected);
  },

  "give-up-place": async (start, { sandbox: { store } }) => {
    const place = one(store.enrollments, ({ status }) => holds(status));
    const args = [store.users.get(place.student_id)?.email ?? "", String(place.planned_course_id)];
    const others = placesIn(store, place.planned_course_id).length - 1;
    expect(await json(start(args))).toEqual({ canceled: [place.id] });
    expect(await json(start(args))).toEqual({ canceled: [] });
    expect([store.enrollments.get(place.id)?.status, placesIn(store, place.planned_course_id).length]).toEqual([
      "canceled",
      others,
    ]);
  },

  "places-left": async (start, { sandbox: { store } }) => {
    const sold = store.catalogVariants.filter(({ variantable_type }) => variantable_type === "PlannedCourse");
    const limited = one(sold, ({ available_places }) => available_places !== null);
    store.catalogVariants.update(last(sold).id, { available_places: null });
    for (const { id, variantable_id } of [limited, last(sold)])
      expect(await json(start([String(variantable_id)]))).toEqual({
        left: store.catalogVariants.get(id)?.available_places,
      });
  },

  "this-week": async (start, { sandbox: { store } }) => {
    const times = [...store.meetings].map(({ start_date_time }) => start_date_time).sort();
    const [from = "", until = ""] = [times[10], times[20]];
    const expected = store.meetings
      .filter((one) => one.end_date_time > from && one.start_date_time < until)
      .map(({ id, name, start_date_time }) => ({ id, name, start_date_time }));
    const printed = await jsonLines(start([from, until]));
    expect(sorted(printed)).toEqual(sorted(expected));
    expect(printed.map((one) => one.start_date_time)).toEqual(expected.map((one) => one.start_date_time).sort());
    expect(expected.length).toBeGreaterThan(5);
  },

  "newest-orders": async (start, { sandbox: { store, requests } }) => {
    const orders = [...store.orders].sort((one, other) => (one.created_at < other.created_at ? 1 : -1)).slice(0, 10);
    const printed = await jsonLines(start());
    const found = printed.map(({ number }) => one(store.orders, (order) => order.number === number));
    expect(found.map(({ created_at }) => created_at)).toEqual(orders.map(({ created_at }) => created_at));
    const names = found.map(({ account_id }) => store.accounts.get(account_id)?.name);
    expect(printed.map(({ account }) => account)).toEqual(names);
    expect(requests.length).toBeLessThanOrEqual(11);
  },

  "nightly-import": async (start, { sandbox, cwd }) => {
    const { users } = sandbox.store;
    const write = (lines: string[]) =>
      writeFileSync(join(cwd, "colleagues.csv"), `Mail,First,Last\n${lines.join("\n")}\n`);
    const known = [...users].slice(20, 28);
    const renamed = known.map(({ email, first_name }) => `${email},${first_name},Fox`);
    write([...renamed.slice(0, 2), 'ada@example.org,Ada,"Fox, the elder"']);
    const before = users.count;
    // Killed before it has read whom the service knows: a create in doubt would make the next start wait for a minute.
    sandbox.faults.next({ operation: "users.list", delayMs: Number.POSITIVE_INFINITY });
    const killed = start();
    await expect.poll(() => sandbox.requests.length).toBe(1);
    killed.process.kill("SIGKILL");
    await killed.ended;
    expect(await json(start())).toEqual({ created: 1, updated: 2 });
    expect(await json(start())).toEqual({ created: 0, updated: 0 });
    expect(users.get(before + 1)).toMatchObject({ last_name: "Fox, the elder" });
    write(renamed);
    expect((await start().ended).code).toBe(1);
    expect(users.filter(({ id, last_name }) => known.some((one) => one.id === id) && last_name === "Fox").length).toBe(
      2,
    );
  },

  "phone-numbers": async (start, { sandbox: { store }, cwd }) => {
    const firms = store.accounts.filter(({ account_type }) => account_type === "business").slice(0, 2);
    const lines = firms.map(({ id }) => `${id},+31 20 555 00 ${10 + id}`);
    writeFileSync(join(cwd, "phones.csv"), `Id,Phone\n${lines.join("\n")}\n`);
    expect(await json(start())).toEqual({ updated: 2 });
    for (const { updated_at: _, ...firm } of firms)
      expect(store.accounts.get(firm.id)).toMatchObject({ ...firm, phone: `+31 20 555 00 ${10 + firm.id}` });
  },

  "places-log": async (start, { sandbox: { store }, cwd, read }) => {
    const env = { PORT: String(await freePort()), WEBHOOK_SECRET: MINE };
    const seconds = Math.floor(Date.now() / 1_000);
    const post = async (event: string, id: number, secret = MINE) => {
      const event_data = { id, status: "confirmed", updated_at: "2026-01-01T08:00:00.000Z" };
      const body = Buffer.from(JSON.stringify({ tenant_id: TENANT, event, event_data }));
      const signature = `t=${seconds},signature=${hmacOf(secret, seconds, body)}`;
      const headers = { "content-type": "application/json", "academy-signature-v1": signature };
      return (await fetch(`http://127.0.0.1:${env.PORT}/webhooks`, { method: "POST", headers, body })).status;
    };
    const first = one(store.enrollments);
    store.enrollments.update(first.id, { status: "canceled" });
    const running = start([], env);
    await running.printed(/ready/);
    expect(await post("enrollment.created", first.id, ANOTHER)).toBe(401);
    expect(await post("user.updated", 1)).toBe(200);
    expect(await post("enrollment.updated", first.id)).toBe(200);
    await expect
      .poll(() => existsSync(join(cwd, "places.log")) && read("places.log"))
      .toBe(`${first.student_id} canceled\n`);
    running.process.kill("SIGKILL");
    await running.ended;
  },

  "pdfs-of-account": async (start, { sandbox: { store }, cwd, read }) => {
    const { account_id } = one(store.invoices, ({ status }) => billed(status));
    store.invoices.insert({ account_id, status: "concept" });
    const numbers = store.invoices
      .filter((one) => one.account_id === account_id && billed(one.status))
      .map(({ number }) => number);
    await finished(start([String(account_id)]));
    for (const number of numbers) expect(read(`${number}.pdf`)).toMatch(/^%PDF-/);
    expect(existsSync(join(cwd, "null.pdf"))).toBe(false);
  },

  "month-total": async (start, { sandbox: { store } }) => {
    store.invoices.insert({
      status: "paid",
      opened_at: "2031-04-30T10:00:00.000Z",
      items: [{ units: 1, unit_price: "0.10" }],
    });
    store.invoices.insert({
      status: "open",
      opened_at: "2031-04-01T10:00:00.000Z",
      items: [{ units: 1, unit_price: "0.20" }],
    });
    store.invoices.insert({ status: "concept", opened_at: null, items: [{ units: 1, unit_price: "9.00" }] });
    const cents = store.invoices
      .filter(({ opened_at }) => opened_at?.startsWith("2031-04") === true)
      .reduce((sum, { total_incl }) => sum + BigInt(total_incl.replace(".", "")), 0n);
    const [[, total] = []] = Object.entries((await json(start(["2031-04"]))) as Record<string, string>);
    expect(BigInt(total?.replace(".", "") ?? 0)).toBe(cents);
    expect(await json(start(["1999-01"]))).toEqual({});
  },

  "firm-moves": async (start, { sandbox: { store } }) => {
    const { updated_at: _, ...firm } = one(store.accounts, ({ account_type }) => account_type === "business");
    const address = { address: "5 Quay Street", postal_code: "1011 AB", city: "Amsterdam", country: "NL" };
    expect(await json(start([String(firm.id), ...Object.values(address)]))).toMatchObject(address);
    expect(store.accounts.get(firm.id)).toMatchObject({ ...firm, address });
  },

  "diet-list": async (start, { sandbox: { store } }) => {
    const course = courseOf(store);
    const [first] = placesIn(store, course);
    store.users.update(first?.student_id ?? 0, { custom: { diet: "vegan" } });
    const expected = placesIn(store, course)
      .flatMap(({ student_id }) => store.users.get(student_id) ?? [])
      .map(({ email, custom }) => ({ email, diet: custom?.diet ?? null }));
    expect(sorted(await jsonLines(start([String(course)])))).toEqual(sorted(expected));
    expect(expected).toContainEqual(expect.objectContaining({ diet: "vegan" }));
  },
};
