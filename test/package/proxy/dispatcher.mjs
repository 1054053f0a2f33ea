// Passes an undici dispatcher through the `fetch` option, as docs/guides/networking.md shows: a proxy for one client.
import { MainClient } from "education-admin-sdk";
import { ProxyAgent, fetch as undiciFetch } from "undici";

const [proxy, baseUrl, apiKey] = process.argv.slice(2);
const dispatcher = new ProxyAgent(proxy);
const client = new MainClient({
  baseUrl,
  apiKey,
  fetch: (url, init) => undiciFetch(url, { ...init, dispatcher }),
});

const accounts = await client.accounts.list().toArray();
const created = await client.accounts.create({ name: "Through a proxy" });
const controller = new AbortController();
const reason = new Error("enough");
setTimeout(() => controller.abort(reason), 50);
const slow = client.accounts.list({ search: "slow" }, { signal: controller.signal });
const ended = await slow.then(null, (error) => error);
if (ended !== reason) throw new Error(`the abort gave ${ended}`);
const missing = await client.accounts.get(999_999_999).catch((error) => error.name);
await dispatcher.destroy();
console.log(JSON.stringify({ accounts: accounts.length, created: created.name, missing }));
