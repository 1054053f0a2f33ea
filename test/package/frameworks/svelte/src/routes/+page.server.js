import { client } from "../lib/server/school.js";

export const load = async () => ({ page: await client.accounts.list({ per_page: 10 }) });
