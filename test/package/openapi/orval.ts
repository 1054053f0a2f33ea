import { checkResults } from "./check-results";
import { accountsCreate, accountsGet, accountsList } from "./generated/orval/main";

const options = { headers: { authorization: `Bearer ${apiKey}` } };
const listed = await accountsList({ per_page: 3 }, options);
const created = await accountsCreate({ name: "Example Ltd" }, options);
const missing = await accountsGet(999_999, options);
if (listed.status !== 200 || created.status !== 201 || missing.status !== 404) throw new Error("the wrong status");
checkResults(listed.data.length, created.data, missing.status, missing.data.message);
