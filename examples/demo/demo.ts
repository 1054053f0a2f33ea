// Reads lists, writes records and meets an error, as a user's program would. Without configuration it uses the embedded
// sandbox over real HTTP. With EDUCATION_ADMIN_BASE_URL and EDUCATION_ADMIN_API_KEY set, it only reads, from that service.
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SingleBar } from "cli-progress";
import { EducationAdminError, MainClient } from "education-admin-sdk";
import { createSandbox } from "education-admin-sdk/sandbox";
import { listen } from "education-admin-sdk/sandbox/node";

interface Step {
  step: string;
  records: number;
  requests: number;
  waits: number;
  ms: number;
}

const started = performance.now();
const counts = { requests: 0, waits: 0 };
const on = {
  request: () => {
    counts.requests++;
  },
  wait: () => {
    counts.waits++;
  },
};
const steps: Step[] = [];

const live = process.env.EDUCATION_ADMIN_BASE_URL !== undefined && process.env.EDUCATION_ADMIN_API_KEY !== undefined;
if (live) {
  await read(new MainClient({ on, readOnly: true }));
} else {
  const sandbox = createSandbox({ seed: 7, size: "medium" });
  const server = await listen(sandbox);
  try {
    console.log(`The sandbox listens at ${server.url}.\n`);
    const client = new MainClient({ baseUrl: server.url, apiKey: sandbox.apiKey, on });
    await read(client);
    await write(client);
  } finally {
    await server.close();
  }
}
console.table(steps);
console.log(`Done in ${Math.round(performance.now() - started)} ms.`);

async function read(client: MainClient): Promise<void> {
  await measure("business accounts", async () => {
    const bar = new SingleBar({ format: "business accounts {bar} {value} records, {pages} pages", noTTYOutput: true });
    let accounts = 0;
    let pages = 0;
    bar.start(0, 0, { pages });
    for await (const page of client.accounts.list({ account_type: "business" }).byPage()) {
      accounts += page.records.length;
      pages++;
      bar.setTotal(page.hasNext ? accounts + page.records.length : accounts);
      bar.update(accounts, { pages });
    }
    bar.stop();
    return accounts;
  });
  await measure("enrollments, joined", async () => {
    const enrollments = client.enrollments.list().with({ student: true, planned_course: true });
    const names: string[] = [];
    for await (const { student, planned_course } of enrollments.take(200)) {
      if (student && planned_course) names.push(`${student.first_name} ${student.last_name}`);
    }
    console.log(`\n${new Set(names).size} students take part, the first is ${names[0] ?? "nobody"}.`);
    return names.length;
  });
  await measure("organization contacts", async () => {
    let contacts = 0;
    for await (const contact of client.organization.contacts.list()) if (contact.email !== null) contacts++;
    return contacts;
  });
  await measure("a typed error", async () => {
    try {
      await client.accounts.get(999_999_999);
    } catch (error) {
      if (!(error instanceof EducationAdminError)) throw error;
      console.log(`\nA record that does not exist: ${error.name}, code "${error.code}"\n  ${error.message}\n`);
    }
    return 0;
  });
}

async function write(client: MainClient): Promise<void> {
  await measure("create an account", async () => {
    const account = await client.accounts.create({ name: "Example Ltd", email: "billing@example.com" });
    console.log(`Created account ${account.id}, ${account.name}.`);
    return 1;
  });
  await measure("create a course", async () => {
    const [category] = await client.categories.list().toArray({ max: 1 });
    if (!category) throw new Error("the sandbox has no category");
    const course = await client.courses.create({
      category_id: category.id,
      name: "First aid",
      code: "FA-1",
      cost_scheme: "student",
      cost: "125.00",
    });
    console.log(`Created course ${course.id}, ${course.name}, for ${course.cost}.`);
    return 1;
  });
  await measure("order a place", async () => {
    const [variant] = await client.catalogVariants.list().toArray({ max: 1 });
    if (!variant) throw new Error("the sandbox has no catalog variant");
    const user = await client.users.create({ first_name: "Ada", last_name: "Example", email: "ada@example.org" });
    const requested = await client.orders.create({
      catalog_variant_id: variant.id,
      creator_id: user.id,
      student_ids: [user.id],
    });
    const order = await client.orders.approve(requested.id);
    console.log(`Order ${order.number} for ${variant.name}: ${requested.status} -> ${order.status}.`);
    return 2;
  });
  await measure("open an invoice", async () => {
    const [concept] = await client.invoices.list({ status: ["concept"] }).toArray({ max: 1 });
    if (!concept) throw new Error("the sandbox has no concept invoice");
    const invoice = await client.invoices.open(concept.id);
    console.log(`Invoice ${invoice.id}: ${concept.status} -> ${invoice.status}, number ${invoice.number}.`);
    const { data } = await client.invoices.getPdf(invoice.id);
    const file = join(await mkdtemp(join(tmpdir(), "education-admin-")), `invoice-${invoice.id}.pdf`);
    await writeFile(file, Buffer.from(data, "base64"));
    console.log(`Saved its PDF as ${file}.\n`);
    return 1;
  });
}

async function measure(step: string, work: () => Promise<number>): Promise<void> {
  const before = { ...counts };
  const from = performance.now();
  const records = await work();
  steps.push({
    step,
    records,
    requests: counts.requests - before.requests,
    waits: counts.waits - before.waits,
    ms: Math.round(performance.now() - from),
  });
}
