"use server";
import { client } from "../school.js";

export async function firstPage() {
  return await client.accounts.list({ per_page: 10 });
}
