import { readFile } from "node:fs/promises";
import { fieldErrors, InputError, MainClient, UnprocessableEntityError } from "education-admin-sdk";

const client = new MainClient();
const form = JSON.parse(await readFile("form.json", "utf8"));
try {
  const student = await client.users.create(form);
  console.log(JSON.stringify({ id: student.id }));
} catch (error) {
  if (!(error instanceof InputError) && !(error instanceof UnprocessableEntityError)) throw error;
  console.log(JSON.stringify(fieldErrors(error)));
  process.exitCode = 2;
}
