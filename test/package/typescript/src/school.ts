// A school's own fields, as `npx education-admin-sdk types` writes them, and how they change a client's types.
import { MainClient } from "education-admin-sdk";
import { type DefinedSchool, defineSchool } from "education-admin-sdk/school";

export interface School {
  accounts: { sector: "care" | "industry"; newsletter: boolean };
  objects: { equipment: { supplier: string; weight: string }; vehicles: { seats: string } };
}

export const school: DefinedSchool<School> = defineSchool({
  accounts: { newsletter: "boolean", sector: { type: "select", options: ["care", "industry"] } },
  objects: { equipment: { supplier: "string", weight: "string" }, vehicles: { seats: "string" } },
});

export async function sectors(): Promise<(string | null | undefined)[]> {
  const client = new MainClient<School>({ baseUrl: "https://school.example", apiKey: "key", school });
  const plain: MainClient = client;
  void client.accounts.update(7, { name: "x", custom: { sector: "care", newsletter: null } });
  // @ts-expect-error not an option
  void client.accounts.update(7, { name: "x", custom: { sector: "other" } });
  // @ts-expect-error not a field
  void client.accounts.update(7, { name: "x", custom: { sectr: "care" } });
  // @ts-expect-error not a custom object
  void client.customRecords.list("rooms");
  const accounts = await client.accounts.list().toArray();
  // @ts-expect-error not a field
  void accounts[0]?.custom.sectr;
  void plain.accounts.update(7, { name: "x", custom: { anything: 1 } });
  return accounts.map(({ custom }) => custom.sector);
}
