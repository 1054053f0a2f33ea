// Makes calls whose connections the service counts: with the platform's fetch, and with an undici Agent set up as in
// docs/guides/networking.md.
import { MainClient } from "education-admin-sdk";
import { Agent, fetch as undiciFetch } from "undici";

const [baseUrl, apiKey] = process.argv.slice(2);
const read = async (client) => {
  for (let id = 1; id <= 20; id++) await client.accounts.get(id);
};
// The platform's default, for comparison.
for (let id = 1; id <= 20; id++) {
  const headers = { authorization: `Bearer ${apiKey}` };
  await (await globalThis.fetch(`${baseUrl}/plain/api/v1/accounts/${id}`, { headers })).text();
}
await read(new MainClient({ baseUrl: `${baseUrl}/platform`, apiKey }));
const dispatcher = new Agent({ connections: 2, keepAliveTimeout: 60_000 });
const fetch = (url, init) => undiciFetch(url, { ...init, dispatcher });
await read(new MainClient({ baseUrl: `${baseUrl}/agent`, apiKey, fetch }));
const wide = new MainClient({ baseUrl: `${baseUrl}/wide`, apiKey, fetch });
await Promise.all(Array.from({ length: 20 }, (_, index) => wide.accounts.get(index + 1)));
await dispatcher.close();
