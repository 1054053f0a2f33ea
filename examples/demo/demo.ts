// Reads lists, writes records and meets errors, as a user's program would. Without configuration it uses the embedded
// sandbox over real HTTP. With EDUCATION_ADMIN_BASE_URL and EDUCATION_ADMIN_API_KEY set, it only reads, from that service.
import { EducationAdminError, MainClient } from "education-admin-sdk";
import { createSandbox, type Sandbox } from "education-admin-sdk/sandbox";
import { listen } from "education-admin-sdk/sandbox/node";

const started = performance.now();
let requests = 0;
const on = {
  request: () => {
    requests++;
  },
};

const live = process.env.EDUCATION_ADMIN_BASE_URL !== undefined && process.env.EDUCATION_ADMIN_API_KEY !== undefined;
if (live) {
  await read(new MainClient({ on, readOnly: true }));
} else {
  const sandbox = createSandbox({ seed: 7, size: "medium" });
  const server = await listen(sandbox);
  try {
    console.log(`A school of 1,000 people, in memory, served at ${server.url}\n`);
    const client = new MainClient({ baseUrl: server.url, apiKey: sandbox.apiKey, on });
    await read(client);
    await write(client);
    await fail(client, sandbox);
  } finally {
    await server.close();
  }
}
console.log(`\n${requests} requests in ${Math.round(performance.now() - started)} ms`);

async function read(client: MainClient): Promise<void> {
  await step(async () => {
    let accounts = 0;
    for await (const page of client.accounts.list({ account_type: "business" }).byPage())
      accounts += page.records.length;
    return `Read ${accounts} business accounts, page by page`;
  });
  await step(async () => {
    const enrollments = client.enrollments.list().with({ student: true, planned_course: true });
    const students = new Set<string>();
    let places = 0;
    for await (const { student, planned_course } of enrollments.take(200)) {
      if (student && planned_course) students.add(`${student.first_name} ${student.last_name}`);
      places++;
    }
    return `Read ${places} enrollments with course and student (${students.size} people)`;
  });
  await step(async () => {
    let contacts = 0;
    for await (const contact of client.organization.contacts.list()) if (contact.email !== null) contacts++;
    return `Read ${contacts} contacts of the Organization API`;
  });
  await step(async () => {
    try {
      await client.accounts.get(999_999_999);
      return "Read account 999999999";
    } catch (error) {
      if (!(error instanceof EducationAdminError)) throw error;
      return `${error.name}: ${error.message.split(". ")[0]}`;
    }
  });
}

async function write(client: MainClient): Promise<void> {
  await step(async () => {
    const account = await client.accounts.create({ name: "Example Ltd", email: "billing@example.com" });
    return `Created account ${account.id}, ${account.name}`;
  });
  await step(async () => {
    const [category] = await client.categories.list().toArray({ max: 1 });
    if (!category) throw new Error("the sandbox has no category");
    const course = await client.courses.create({
      category_id: category.id,
      name: "First aid",
      code: "FA-1",
      cost_scheme: "student",
      cost: "125.00",
    });
    return `Created course ${course.id}, ${course.name}, for ${course.cost}`;
  });
  await step(async () => {
    const [variant] = await client.catalogVariants.list().toArray({ max: 1 });
    if (!variant) throw new Error("the sandbox has no catalog variant");
    const user = await client.users.create({ first_name: "Ada", last_name: "Example", email: "ada@example.org" });
    const requested = await client.orders.create({
      catalog_variant_id: variant.id,
      creator_id: user.id,
      student_ids: [user.id],
    });
    const order = await client.orders.approve(requested.id);
    return `Ordered a place: order ${order.number}, ${requested.status} -> ${order.status}`;
  });
  await step(async () => {
    const [concept] = await client.invoices.list({ status: ["concept"] }).toArray({ max: 1 });
    if (!concept) throw new Error("the sandbox has no concept invoice");
    const invoice = await client.invoices.open(concept.id);
    const { data } = await client.invoices.getPdf(invoice.id);
    return `Opened invoice ${invoice.number}, PDF of ${Buffer.from(data, "base64").length} bytes`;
  });
}

async function fail(client: MainClient, { faults }: Sandbox): Promise<void> {
  await step(async () => {
    faults.next({ operation: "courses.get", retryAfter: 1 }, { operation: "courses.get", status: 503 });
    const { response } = await client.courses.get(7).withResponse();
    return `Got 429, then 503, then the course: ${response.attempts} attempts`;
  });
  await step(async () => {
    faults.next({ operation: "leads.create", reset: true, applied: true });
    try {
      const { id } = await client.leads.create({ title: "First aid for a team", quality: null });
      return `Created lead ${id}`;
    } catch (error) {
      if (!(error instanceof EducationAdminError)) throw error;
      return `Lost the response to a create: not sent twice, outcome "${error.outcome}"`;
    }
  });
}

async function step(work: () => Promise<string>): Promise<void> {
  const before = requests;
  const from = performance.now();
  const done = await work();
  const count = requests - before;
  const ms = Math.round(performance.now() - from);
  console.log(
    `${done.padEnd(66)}${String(count).padStart(4)} ${count === 1 ? "request " : "requests"}${String(ms).padStart(6)} ms`,
  );
}
