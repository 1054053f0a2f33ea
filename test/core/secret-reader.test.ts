import { randomBytes } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { MainClient } from "../../src/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { createSchools, memoryTokens } from "../../src/schools/index.js";
import { sqliteTokens } from "../../src/stores/sqlite/index.js";
import { signWebhook, verifyWebhook } from "../../src/webhooks/index.js";

const KEY = randomBytes(32).toString("base64");
const body = '{"event":"invoice.updated"}';

/** Uses a secret as each part of the library does. Returns text that depends on the secret alone. */
const USES: Readonly<Record<string, (secret: string) => Promise<string>>> = {
  apiKey: (apiKey) => keySent({ apiKey }),
  "apiKey, a function": (secret) => keySent({ apiKey: () => secret }),
  "secrets of webhooks": async (secrets) => {
    const signed = await signWebhook({ body, secrets, timestamp: 1 });
    await verifyWebhook({ body, headers: signed, secrets: [secrets], now: () => 1_000 });
    return JSON.stringify(signed);
  },
  encryptionKey: async (encryptionKey) => {
    const database = new DatabaseSync(":memory:");
    const entry = { key: "school", version: "1", facts: "{}", secret: "token" };
    await sqliteTokens(database, { encryptionKey }).put(entry, null);
    return (await sqliteTokens(database, { encryptionKey: KEY }).get("school"))?.secret ?? "";
  },
  clientSecret: async (clientSecret) => {
    const baseUrl = "https://school.example";
    const callback = (id: string) => `https://agency.example/${id}`;
    const oauth = { clientSecret: KEY, redirectUri: callback("school.example"), agrees: true };
    const sandbox = createSandbox({ baseUrl, oauth });
    let sent = "";
    const schools = createSchools({
      clientId: "agency",
      clientSecret,
      redirectUri: ({ id }) => callback(id),
      tokens: memoryTokens(),
      clock: sandbox.clock,
      fetch: (url, init) => {
        sent ||= new Headers(init?.headers as never).get("authorization") ?? "";
        return sandbox.fetch(url, init);
      },
    });
    const agreed = await sandbox.fetch(await schools.authorizeUrl(baseUrl));
    await schools.connect(agreed.headers.get("location") ?? "");
    return sent;
  },
};

async function keySent(options: object): Promise<string> {
  const { baseUrl } = createSandbox();
  let sent = "";
  const fetch = async (_: unknown, init?: RequestInit) => {
    sent = new Headers(init?.headers).get("authorization") ?? "";
    return Response.json([]);
  };
  await new MainClient({ baseUrl, fetch, ...options } as never).labels.list();
  return sent;
}

test.each(Object.entries(USES))("%s: what files and variables add around a secret does no harm", async (_, use) => {
  const used = await use(KEY);
  expect(used).not.toBe("");
  for (const given of [`${KEY}\n`, `${KEY}\r\n`, ` ${KEY}\t`, `"${KEY}"`, `'${KEY}'\n`, `\uFEFF${KEY}`])
    expect(await use(given), JSON.stringify(given).replace(KEY, "…")).toBe(used);
  for (const given of ["", " \n", '""', `${KEY}\n${KEY}`])
    await expect((async () => use(given))(), JSON.stringify(given).replaceAll(KEY, "…")).rejects.toMatchObject({
      message: expect.not.stringContaining(KEY),
    });
});
