import ky, { HTTPError } from "ky";
import * as z from "zod/mini";

const address = z.object({ city: z.nullable(z.string()) });
const accountSchema = z.object({ id: z.int(), name: z.string(), users_count: z.int(), address: z.nullable(address) });
const client = ky.create({ prefix: "https://school.example/api/v1", headers: { authorization: "Bearer key" } });

export async function namesOf(user: number): Promise<string[]> {
  const found = await client.get("accounts", { searchParams: { user_id: user } }).json();
  return z.parse(z.array(accountSchema), found).map(({ address, name }) => address?.city ?? name);
}

export async function rename(id: number, name: string): Promise<number> {
  try {
    return z.parse(accountSchema, await client.put(`accounts/${id}`, { json: { name } }).json()).users_count;
  } catch (error) {
    if (error instanceof HTTPError) return error.response.status;
    throw error;
  }
}
