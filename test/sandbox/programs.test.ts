import { describe, expect, test } from "vitest";
import { MainClient, NotFoundError, PermissionDeniedError, UnprocessableEntityError } from "../../src/index.js";
import { createSandbox, type Sandbox } from "../../src/sandbox/index.js";
import { admin, eventsOf, ids, main } from "./support.js";

const all = { max: 1_000 };
const small = (): Sandbox => createSandbox({ size: 60, now: "2030-06-01T12:00:00.000Z" });

async function refusedFields(call: PromiseLike<unknown>): Promise<string[]> {
  const error: unknown = await Promise.resolve(call).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(UnprocessableEntityError);
  return Object.keys((error as UnprocessableEntityError).errors ?? {});
}

describe("seeded programs", () => {
  const { store } = createSandbox({ size: 400, seed: 5 });

  test("are consistent with the catalog", () => {
    const products = store.catalogProducts.filter(({ productable_type }) => productable_type === "Program::Program");
    expect(products.map((row) => row.productable_id)).toEqual(ids([...store.programs]));
    for (const { productable_id, name, cost, cost_scheme, is_published, category_id } of products) {
      expect(store.programs.get(productable_id)).toMatchObject({ name, cost, cost_scheme, is_published, category_id });
    }
    const variants = store.catalogVariants.filter(({ variantable_type }) => variantable_type === "Program::Edition");
    expect(variants.map((row) => row.variantable_id)).toEqual(ids([...store.programEditions]));
    for (const { variantable_id, product_id, cost, cost_scheme, is_published, available_places } of variants) {
      const edition = store.programEditions.get(variantable_id);
      expect(edition).toMatchObject({ cost, cost_scheme, is_published });
      expect(store.catalogProducts.get(product_id)?.productable_id).toBe(edition?.program_id);
      const { max_participants = null, current_participants = 0 } = edition ?? {};
      expect(available_places).toBe(max_participants === null ? null : max_participants - current_participants);
    }
  });

  test("are consistent with users, courses, planned courses, grades and labels", () => {
    const { programElements, programEnrollments, personalProgramElements } = store;
    for (const { course_id, planned_course_id } of programElements) {
      expect(store.courses.get(course_id)).toBeDefined();
      expect(store.plannedCourses.get(planned_course_id ?? 0)?.course_id).toBe(course_id);
    }
    for (const {
      id,
      student_id,
      edition_id,
      state,
      grade,
      graduation_state,
      graduation_date,
      label_ids,
    } of programEnrollments) {
      expect(store.users.get(student_id)?.roles).toContain("student");
      expect(graduation_date !== null).toBe(graduation_state === "passed");
      if (grade) {
        expect(store.grades.get(grade.id)).toEqual(grade);
        expect([grade.gradeable_id, grade.result, state]).toEqual([id, "passed", "confirmed"]);
        expect(store.programEditions.get(edition_id)?.end_date).toBe(graduation_date);
      }
      for (const label of label_ids) expect(store.labels.get(label)?.model_type).toBe("Program::Enrollment");
    }
    for (const { id, current_participants } of store.programEditions) {
      const taken = programEnrollments.filter((row) => row.edition_id === id && row.state === "confirmed");
      expect(current_participants).toBe(taken.length);
    }
    for (const { enrollment_id, element_id, course_id, course_enrollment_id } of personalProgramElements) {
      const enrollment = programEnrollments.get(enrollment_id);
      if (element_id !== null) {
        expect(programElements.get(element_id)).toMatchObject({ edition_id: enrollment?.edition_id, course_id });
      } else {
        const taken = store.enrollments.get(course_enrollment_id ?? 0);
        expect(taken?.student_id).toBe(enrollment?.student_id);
        expect(store.plannedCourses.get(taken?.planned_course_id ?? 0)?.course_id).toBe(course_id);
      }
    }
    const names = [...store.users].map((user) =>
      [user.first_name, user.middle_name, user.last_name].filter(Boolean).join(" "),
    );
    for (const { authors } of store.theses) expect(names).toContain(authors[0]);
    const certified = store.certificates.filter(({ certifiable_type }) => certifiable_type === "program_enrollment");
    expect(certified.length).toBeGreaterThan(3);
    for (const { certifiable_id } of certified)
      expect(programEnrollments.get(certifiable_id)?.graduation_state).toBe("passed");
  });

  test("include every kind of element and every state", () => {
    expect(new Set([...store.programElements].map(({ element }) => element.element_type)).size).toBe(5);
    expect(new Set([...store.programEnrollments].map(({ state }) => state))).toEqual(
      new Set(["confirmed", "canceled"]),
    );
  });
});

describe("programs and their editions", () => {
  test("are created, changed and deleted, and the catalog reflects it", async () => {
    const sandbox = small();
    const { store } = sandbox;
    const events = eventsOf(sandbox, ["program.*", "program_edition.*"]);
    const client = admin(sandbox);
    const program = await client.programs.create({
      name: "New Skills",
      category_id: 2,
      cost_scheme: "student",
      cost: 450,
    });
    expect(program).toMatchObject({ cost: "450.00", category_id: 2, is_published: false, conditions: null });
    const product = store.catalogProducts.find((row) => row.name === "New Skills");
    expect(product).toMatchObject({ productable_type: "Program::Program", productable_id: program.id, cost: "450.00" });
    const edition = await client.programEditions.create({
      program_id: program.id,
      name: "Autumn",
      cost: 99.5,
      max_participants: 8,
      start_date: "2030-09-01",
    });
    expect(edition).toMatchObject({ cost: "99.50", cost_scheme: "student", current_participants: 0, end_date: null });
    const variantOf = () =>
      store.catalogVariants.find(
        (row) => row.variantable_type === "Program::Edition" && row.variantable_id === edition.id,
      );
    expect(variantOf()).toMatchObject({ product_id: product?.id, name: "Autumn", cost: "99.50", available_places: 8 });

    expect(await refusedFields(client.programs.delete(program.id))).toEqual(["base"]);
    expect(await client.programEditions.update(edition.id, { cost: "100.00", max_participants: 0 })).toMatchObject({
      cost: "100.00",
      start_date: "2030-09-01",
    });
    expect(variantOf()).toMatchObject({ cost: "100.00", availability: "not_available" });
    expect(await client.programs.update(program.id, { name: "Newer Skills" })).toMatchObject({ cost: "450.00" });
    expect(store.catalogProducts.get(product?.id ?? 0)?.name).toBe("Newer Skills");
    await client.programEditions.delete(edition.id);
    await client.programs.delete(program.id);
    expect([variantOf(), store.catalogProducts.get(product?.id ?? 0)]).toEqual([undefined, undefined]);
    await expect(client.programs.get(program.id)).rejects.toBeInstanceOf(NotFoundError);
    await sandbox.webhooks.settled();
    expect(events).toEqual([
      `program.created ${program.id}`,
      `program_edition.created ${edition.id}`,
      `program_edition.updated ${edition.id}`,
      `program.updated ${program.id}`,
      `program_edition.deleted ${edition.id}`,
      `program.deleted ${program.id}`,
    ]);
  });

  test("are refused with impossible references, dates and prices", async () => {
    const sandbox = small();
    const client = admin(sandbox);
    const edition = { program_id: 1, name: "Autumn", cost: 450 };
    expect(await refusedFields(client.programs.create({ name: "X", category_id: 999, cost_scheme: "free" }))).toEqual([
      "category_id",
    ]);
    expect(await refusedFields(client.programEditions.create({ ...edition, program_id: 999 }))).toEqual(["program_id"]);
    const dates = { start_date: "2030-02-01", end_date: "2030-01-01" };
    expect(await refusedFields(client.programEditions.create({ ...edition, ...dates }))).toEqual(["end_date"]);
    const free = await client.programs.create({ name: "X", category_id: 1, cost_scheme: "free" });
    expect(await refusedFields(client.programs.update(free.id, { cost_scheme: "student" }))).toEqual(["cost"]);
    const enrolled = sandbox.store.programEnrollments.find(({ state }) => state === "confirmed")?.edition_id ?? 0;
    expect(await refusedFields(client.programEditions.delete(enrolled))).toEqual(["base"]);
  });

  test("are listed by page, and by program as number or text", async () => {
    const sandbox = createSandbox({ size: 400 });
    const client = main(sandbox);
    const editions = await client.programEditions.list({ program_id: [2, "3"], per_page: 3 }).toArray(all);
    expect(editions.map(({ program_id }) => program_id)).toEqual([2, 2, 3, 3]);
    expect(sandbox.requests).toHaveLength(2);
    expect(ids(await client.programEditions.list({ program_id: 1 }).toArray(all))).toEqual([1, 2]);
    expect(await client.programs.list({ per_page: 2 }).toArray(all)).toEqual([...sandbox.store.programs]);
  });
});

describe("elements", () => {
  test("are created together for an edition without any", async () => {
    const sandbox = small();
    const client = admin(sandbox);
    const { id } = await client.programEditions.create({ program_id: 1, name: "Autumn", cost: 450 });
    expect(await client.programEditions.listElements(id).toArray(all)).toEqual([]);
    const planned = sandbox.store.plannedCourses.find(({ course_id }) => course_id === 2)?.id ?? 0;
    const sent = {
      elements: [
        { type: "BlockElement", name: "Basics", elements: [{ type: "CourseElement", course_id: 1 }] },
        { type: "CourseElement", course_id: 2, planned_course_id: planned },
      ],
    } as const;
    const created = await client.programEditions.createElements(id, sent);
    expect(created).toMatchObject([
      { element_type: "BlockElement", name: "Basics", elements: [{ element_type: "CourseElement", course_id: 1 }] },
      { element_type: "CourseElement", course_id: 2, planned_course_id: planned },
    ]);
    expect(created[1]?.name).toBe(sandbox.store.courses.get(2)?.name);
    expect(await client.programEditions.listElements(id).toArray(all)).toEqual(created);
    expect(await refusedFields(client.programEditions.createElements(id, sent))).toEqual(["base"]);
  });

  test("refer to existing courses and their planned courses", async () => {
    const sandbox = small();
    const client = admin(sandbox);
    const { id } = await client.programEditions.create({ program_id: 1, name: "Autumn", cost: 450 });
    const course = { type: "CourseElement", course_id: 999 } as const;
    const block = { type: "BlockElement", name: "B", elements: [course] } as const;
    expect(await refusedFields(client.programEditions.createElements(id, { elements: [block] }))).toEqual([
      "elements[0].elements[0].course_id",
    ]);
    const other = { ...course, course_id: 1, planned_course_id: 2 };
    expect(
      await refusedFields(client.programEditions.createElements(id, { elements: [{ ...block, elements: [other] }] })),
    ).toEqual(["elements[0].elements[0].planned_course_id"]);
    expect(await client.programEditions.listElements(id).toArray(all)).toEqual([]);
    await expect(client.programEditions.createElements(999, { elements: [] })).rejects.toBeInstanceOf(NotFoundError);
    await expect(client.programEditions.listElements(999).toArray(all)).rejects.toBeInstanceOf(NotFoundError);
  });

  test("are program elements only if they are courses directly in an edition", async () => {
    const sandbox = small();
    const client = main(sandbox);
    const listed = await client.programElements.list({ edition_id: 1 }).toArray(all);
    expect(listed.map(({ edition_id, position }) => [edition_id, position])).toEqual([
      [1, 1],
      [1, 2],
    ]);
    const added = await client.programElements.create({ edition_id: 1, course_id: 3 });
    expect(added).toMatchObject({ edition_id: 1, position: 6, course_id: 3, planned_course_id: null });
    const elements = await client.programEditions.listElements(1).toArray(all);
    expect(elements.at(-1)).toMatchObject({ element_type: "CourseElement", course_id: 3 });
    const planned = sandbox.store.plannedCourses.find(({ course_id }) => course_id === 3)?.id ?? 0;
    await client.programElements.update(added.id, { planned_course_id: planned, edition_id: 2 });
    expect((await client.programEditions.listElements(2).toArray(all)).at(-1)).toMatchObject({
      planned_course_id: planned,
    });
    expect(await client.programEditions.listElements(1).toArray(all)).toHaveLength(5);
    await client.programElements.delete(listed[0]?.id ?? 0);
    expect((await client.programElements.list({ edition_id: 1 }).toArray(all)).map(({ position }) => position)).toEqual(
      [1],
    );
    const block = sandbox.store.programElements.find(({ element }) => element.element_type === "BlockElement");
    await expect(client.programElements.get(block?.id ?? 0)).rejects.toBeInstanceOf(NotFoundError);
    expect(await refusedFields(client.programElements.create({ edition_id: 999, course_id: 3 }))).toEqual([
      "edition_id",
    ]);
    expect(await refusedFields(client.programElements.update(added.id, { planned_course_id: 1 }))).toEqual([
      "planned_course_id",
    ]);
  });
});

describe("program enrollments", () => {
  test("are listed by student and by edition, as in the Organization API", async () => {
    const sandbox = createSandbox({ size: 400 });
    const client = main(sandbox);
    const inEdition = await client.programEnrollments.list({ edition_id: 2 }).toArray(all);
    expect(inEdition.length).toBeGreaterThan(1);
    const contacts = await client.organization.programEnrollments.list({ program_edition_id: 2 }).toArray(all);
    expect(contacts).toEqual(
      inEdition.map(({ id, edition_id, state, grade, graduation_state, student_id }) => ({
        ...{ id, program_edition_id: edition_id, state, grade: grade?.grade ?? null },
        ...{ graduation_state, contact_id: student_id },
      })),
    );
    const student = inEdition[0]?.student_id ?? 0;
    for (const each of await client.programEnrollments.list({ student_id: student }).toArray(all)) {
      expect(each.student_id).toBe(student);
    }
    await client.programs.update(1, { name: "Renamed" });
    expect((await client.organization.programEditions.list().first()).records[0]?.program_template_name).toBe(
      "Renamed",
    );
  });

  test("are canceled, which frees a place", async () => {
    const sandbox = small();
    const client = main(sandbox);
    const events = eventsOf(sandbox, ["program_enrollment.*", "catalog_variant.*", "program_edition.*"]);
    const { id, edition_id } = sandbox.store.programEnrollments.find(({ state }) => state === "confirmed") ?? {
      id: 0,
      edition_id: 0,
    };
    const before = await client.programEditions.get(edition_id);
    expect(await client.programEnrollments.cancel(id)).toMatchObject({ id, state: "canceled" });
    expect((await client.programEnrollments.cancel(id)).state).toBe("canceled");
    const after = await client.programEditions.get(edition_id);
    expect(after.current_participants).toBe(before.current_participants - 1);
    const seen = (await client.organization.programEnrollments.list().toArray(all)).find((each) => each.id === id);
    expect(seen?.state).toBe("canceled");
    expect(await refusedFields(client.programEnrollments.awardCertificate(id, { certificate_template_id: 1 }))).toEqual(
      ["base"],
    );
    await sandbox.webhooks.settled();
    expect(events).toEqual([`program_enrollment.updated ${id}`, `program_enrollment.cancel ${id}`]);
  });

  test("are passed with a certificate and reassessed without it", async () => {
    const sandbox = small();
    const client = admin(sandbox);
    const { programEnrollments } = sandbox.store;
    const { id } = programEnrollments.insert({ edition_id: 2, state: "confirmed", grade: null });
    const events = eventsOf(sandbox, ["program_enrollment.*", "certificate.*"]);
    const certificates = async () =>
      (await client.certificates.list().toArray(all)).filter(
        (each) => each.certifiable_type === "program_enrollment" && each.certifiable_id === id,
      );
    const passed = { id, graduation_state: "passed", graduation_date: "2030-06-01" };
    expect(await client.programEnrollments.awardCertificate(id, { certificate_template_id: 2 })).toMatchObject(passed);
    const [first] = await certificates();
    expect(first?.pdf_url).toContain("template=2");
    await client.programEnrollments.awardCertificate(id, { certificate_template_id: 3 });
    const [second, ...more] = await certificates();
    expect([more, second?.pdf_url]).toEqual([[], expect.stringContaining("template=3")]);
    const judgedAgain = { id, graduation_state: "awaiting_judgement", graduation_date: null };
    expect(await client.programEnrollments.deleteCertificate(id)).toMatchObject(judgedAgain);
    expect(await client.programEnrollments.deleteCertificate(id)).toMatchObject(judgedAgain);
    expect(await certificates()).toEqual([]);
    await sandbox.webhooks.settled();
    expect(events).toEqual([
      `certificate.awarded ${first?.id}`,
      `program_enrollment.updated ${id}`,
      `program_enrollment.pass ${id}`,
      `certificate.deleted ${first?.id}`,
      `certificate.awarded ${second?.id}`,
      `certificate.deleted ${second?.id}`,
      `program_enrollment.updated ${id}`,
      `program_enrollment.graduation_revoked ${id}`,
    ]);
  });

  test("send an event when the store adds one, but none when it deletes one, because no such event is known", async () => {
    const sandbox = small();
    const events = eventsOf(sandbox, ["*"]);
    const { id } = sandbox.store.programEnrollments.insert();
    sandbox.store.programEnrollments.delete(id);
    await sandbox.webhooks.settled();
    expect(events).toEqual([`program_enrollment.created ${id}`]);
  });

  test("have the grade that they get", async () => {
    const sandbox = small();
    const client = admin(sandbox);
    const { id } = sandbox.store.programEnrollments.insert({ grade: null });
    const grade = await client.grades.create({
      gradeable_id: id,
      gradeable_type: "Program::Enrollment",
      grade: "8",
      score: 8,
    });
    expect((await client.programEnrollments.get(id)).grade).toEqual(grade);
    expect(
      await refusedFields(
        client.grades.create({ gradeable_id: 999, gradeable_type: "Program::Enrollment", grade: "8" }),
      ),
    ).toEqual(["gradeable_id"]);
    await client.grades.delete(grade.id);
    expect((await client.programEnrollments.get(id)).grade).toBeNull();
  });

  test("retry the deletion of a certificate if its response is lost", async () => {
    const sandbox = small();
    sandbox.faults.next({ operation: "programEnrollments.deleteCertificate", reset: true, applied: true });
    const client = new MainClient({ ...sandbox.main, clock: sandbox.clock });
    expect((await client.programEnrollments.deleteCertificate(1)).graduation_state).toBe("awaiting_judgement");
    expect(sandbox.requests.map(({ operation }) => operation)).toEqual(
      Array(2).fill("programEnrollments.deleteCertificate"),
    );
  });
});

test("need the feature flag Programs in every operation", async () => {
  const sandbox = createSandbox({ size: 60, disabledFeatures: ["Programs"] });
  const client = admin(sandbox);
  const calls = [
    client.programs.list().first(),
    client.programEditions.get(1),
    client.programEditions.listElements(1).first(),
    client.programElements.list().first(),
    client.programEnrollments.cancel(1),
    client.personalProgramElements.list().first(),
    client.theses.list().first(),
  ];
  for (const call of calls) await expect(call).rejects.toBeInstanceOf(PermissionDeniedError);
  expect((await client.organization.programEditions.list().first()).records).not.toEqual([]);
});

test("have personal program elements and theses, listed by page", async () => {
  const sandbox = small();
  const client = admin(sandbox);
  const elements = await client.personalProgramElements.list({ per_page: 5 }).toArray(all);
  expect(elements).toEqual([...sandbox.store.personalProgramElements]);
  const theses = await main(sandbox).theses.list({ per_page: 2 }).toArray(all);
  expect(theses).toEqual([...sandbox.store.theses]);
});
