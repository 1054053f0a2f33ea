import { checkResults } from "./check-results";
import { accountsCreate, accountsGet, accountsList } from "./generated/hey-api/main";
import { client } from "./generated/hey-api/main/client.gen";

client.setConfig({ baseUrl: apiUrl, auth: apiKey });
const listed = await accountsList({ query: { per_page: 3 } });
const created = await accountsCreate({ body: { name: "Example Ltd" } });
const missing = await accountsGet({ path: { id: 999_999 } });
if (!listed.data || !created.data || !missing.error) throw new Error("the wrong side of an answer");
checkResults(listed.data.length, created.data, missing.response?.status ?? 0, missing.error.message);
