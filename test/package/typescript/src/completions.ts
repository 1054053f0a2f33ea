// completions.mjs requests completions in this file, after certain texts.
import { MainClient } from "education-admin-sdk";
import { type School, school } from "./school.js";

export async function complete(): Promise<void> {
  const client = new MainClient<School>({ baseUrl: "https://school.example", apiKey: "key", school });
  const account = await client.accounts.get(7);
  if (account.custom.sector === "care") return;
  await client.accounts.update(7, { name: "x", custom: { newsletter: true } });
  await client.accounts.update(8, { name: "x", custom: { sector: "care" } });
  await client.accounts.update(9, {
    name: "x",
  });
  const joined = client.enrollments.list().with({ student: true });
  const plain = new MainClient().enrollments.list().with({ student: true });
  void [joined, plain];
  const records = client.customRecords.list("equipment");
  for await (const { properties } of records) void properties.weight;
  await client.customRecords.create("equipment", { display_name: "x", properties: { weight: "2 kg" } });
}
