import fc from "fast-check";
import { expect, test } from "vitest";
import { MainClient, type OperationId } from "../../src/index.js";
import { allOperations } from "../../src/operations.js";
import { createProxyHandler } from "../../src/proxy/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { amount } from "../support/amount.js";

const VISITS = amount(300, 1_000);
const KEY = "canary-key-of-the-server";
const READABLE = allOperations.filter(({ method, apis }) => method === "GET" && !apis.every((api) => api === "admin"));
const IDS = [...new Set(READABLE.map(({ id }) => id))];
const HEADERS = new Set([
  "content-type",
  "link",
  "total",
  "retry-after",
  "cache-control",
  "allow",
  "x-content-type-options",
]);

// Parts of real addresses, characters that might escape from them, and arbitrary text.
const words = [...new Set(allOperations.flatMap(({ path }) => path.split("/")))].filter((word) => !word.includes("{"));
const segment = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...words) },
  { weight: 3, arbitrary: fc.constantFrom("1", "7", "equipment", "accounts", "sector", "api", "v1", "organization") },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      "",
      ".",
      "..",
      "%2e%2e",
      "%2E.",
      "%2f",
      "a%2F..%2Faccounts",
      "%5c",
      "%00",
      "%0d%0a",
      "%252e",
      ";",
      "*",
    ),
  },
  { weight: 1, arbitrary: fc.string({ maxLength: 8 }) },
);
const value = fc.oneof({ weight: 3, arbitrary: fc.constantFrom("1", "7", "equipment", "accounts") }, segment);
const templates = fc.oneof(fc.constantFrom(...READABLE), fc.constantFrom(...allOperations)).chain(({ path, apis }) =>
  fc.array(value, { minLength: 4, maxLength: 4 }).map((values) => {
    let at = 0;
    const prefix = apis.includes("organization") ? "organization" : "v1";
    return `api/${prefix}/${path.replace(/\{\w+\}/g, () => values[at++] ?? "1")}`;
  }),
);
const paths = fc.oneof(
  { weight: 4, arbitrary: templates },
  fc.tuple(templates, fc.array(segment, { maxLength: 3 })).map(([path, more]) => [path, ...more].join("/")),
  fc.array(segment, { maxLength: 7 }).map((parts) => `api/v1/${parts.join("/")}`),
  fc.array(segment, { maxLength: 9 }).map((parts) => parts.join("/")),
);
const names = fc.oneof(
  fc.constantFrom("cursor", "per_page", "page", "id", "status[]", "search", "__proto__", "key", "path", "user_id"),
  fc.string({ maxLength: 6 }),
);
const queries = fc.oneof(
  fc.constant([]),
  fc.array(fc.tuple(names, fc.oneof(fc.constantFrom("1", "100", "true", "open"), fc.string({ maxLength: 12 }))), {
    maxLength: 3,
  }),
);
const methods = fc.oneof(
  { weight: 8, arbitrary: fc.constant("GET") },
  fc.constantFrom("HEAD", "POST", "PUT", "DELETE", "PATCH"),
);

test("whatever a visitor requests, only allowed operations reach the service, and no response contains the key", async () => {
  const sandbox = createSandbox({ size: "small", apiKey: KEY, rateLimit: false });
  const client = new MainClient({ ...sandbox, rateLimit: false, on: { drift: () => undefined } });
  let answered = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.subarray(IDS, { minLength: 1 }),
      methods,
      paths,
      queries,
      async (allow, method, path, query) => {
        const handler = createProxyHandler(client, { allow: allow as OperationId[], share: 1 });
        const url = URL.parse(`https://my-site.example/school/${path}`) ?? new URL("https://my-site.example/");
        for (const pair of query) url.searchParams.append(...pair);
        const before = sandbox.requests.length;
        const answer = await handler(new Request(url, { method }));
        const text = await answer.text();
        const asked = sandbox.requests.slice(before);
        // One visit sends at most one request, a GET, and the sandbox's own router resolves it to an allowed operation.
        expect(asked.length).toBeLessThanOrEqual(method === "GET" || method === "HEAD" ? 1 : 0);
        for (const { operation, method: sent } of asked) {
          expect(sent).toBe("GET");
          expect(allow).toContain(operation);
        }
        answered += answer.status === 200 ? 1 : 0;
        expect([200, 400, 403, 404, 405]).toContain(answer.status);
        expect([...answer.headers.keys()].filter((name) => !HEADERS.has(name))).toEqual([]);
        expect(JSON.stringify([text, [...answer.headers]])).not.toContain(KEY);
        expect(JSON.stringify([...answer.headers])).not.toContain(sandbox.baseUrl);
      },
    ),
    { numRuns: VISITS },
  );
  // If every request were refused, the test would prove nothing.
  expect(answered).toBeGreaterThan(0);
});
