import { ApiError, MainClient } from "education-admin-sdk";

const client = new MainClient({ baseUrl: "https://school.example", apiKey: "key" });

export async function namesOf(user: number): Promise<string[]> {
  const names: string[] = [];
  for await (const account of client.accounts.list({ user_id: user, account_type: "business" })) {
    names.push(account.address?.city ?? account.name);
  }
  return names;
}

export async function rename(id: number, name: string): Promise<number | null> {
  try {
    const { data, response } = await client.accounts.update(id, { name }).withResponse();
    return data.users_count + response.attempts;
  } catch (error) {
    if (error instanceof ApiError) return error.status;
    throw error;
  }
}
