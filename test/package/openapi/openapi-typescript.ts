import createClient from "openapi-fetch";
import { checkResults } from "./check-results";
import type { paths } from "./generated/openapi-typescript/main";

const client = createClient<paths>({ baseUrl: apiUrl, headers: { authorization: `Bearer ${apiKey}` } });
const listed = await client.GET("/accounts", { params: { query: { per_page: 3 } } });
const created = await client.POST("/accounts", { body: { name: "Example Ltd" } });
const missing = await client.GET("/accounts/{id}", { params: { path: { id: 999_999 } } });
if (!listed.data || !created.data || !missing.error) throw new Error("the wrong side of an answer");
checkResults(listed.data.length, created.data, missing.response.status, missing.error.message);
