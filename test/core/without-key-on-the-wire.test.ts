import { expect, it } from "vitest";
import {
  AdminClient,
  type ClientOptions,
  type HeadersOption,
  MainClient,
  type RequestOptions,
  type RetryOptions,
} from "../../src/index.js";
import { amount } from "../support/amount.js";
import { chance } from "../support/chance.js";
import { errorBody, json, type Seen, serve } from "../support/server.js";

const CALLS = amount(2_000, 10_000);

// Runs only a few calls at a time, so that the machine does not run out of sockets.
async function inParallel(count: number, width: number, work: (at: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: width }, async () => {
      while (next < count) await work(next++).catch(() => undefined);
    }),
  );
}

it(`sends no Authorization in ${CALLS} random calls without a key, whatever the responses`, async () => {
  const random = chance(20_260_726);
  const pick = <T>(...values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
  const elsewhere = await serve((_, response) => json(response, 200, []));
  const statuses = new Map<number, number>();
  const service = await serve((request: Seen, response) => {
    const list = !/\/\d+$/.test(request.path) && request.method === "GET";
    const [status, headers] = pick<[number, Record<string, string>]>(
      [200, {}],
      [200, { link: `<${service.url}${request.path}?cursor=${request.index}>; rel="next"` }],
      [204, {}],
      [301, { location: `${request.path}?moved=1` }],
      [302, { location: `${service.url}${request.path}` }],
      [307, { location: `${elsewhere.url}${request.path}` }],
      [401, { "www-authenticate": "Bearer" }],
      [403, {}],
      [404, {}],
      [422, {}],
      [429, { "retry-after": "0" }],
      [503, { "retry-after": "0" }],
    );
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (status === 200) return json(response, 200, list ? [{ id: 1 }] : { id: 1 }, headers);
    if (status < 400) return response.writeHead(status, headers).end();
    return json(response, status, errorBody(status), headers);
  });
  const options = (): ClientOptions => ({
    baseUrl: service.url,
    apiKey: null,
    rateLimit: false,
    retry: { limit: 1, backoffLimit: 1 },
    headers: pick<HeadersOption>({}, { "x-school": "1" }, [["accept-language", "nl"]]),
    validation: "off",
  });
  const callOptions = (): RequestOptions => ({
    headers: pick<HeadersOption>({}, { "x-request-id": "7" }, new Headers({ "proxy-authorization": "none" })),
    retry: pick<RetryOptions | false>({ limit: 1, backoffLimit: 1 }, false),
    priority: pick("batch" as const, "interactive" as const),
  });
  const clients = Array.from({ length: 20 }, () => new MainClient(options()));
  const admin = new AdminClient(options());
  process.env.EDUCATION_ADMIN_API_KEY = "key-of-the-environment";
  try {
    await inParallel(CALLS, 20, async () => {
      const client = random() < 0.1 ? new MainClient(options()) : pick(...clients);
      const id = 1 + Math.floor(random() * 1_000);
      await pick<() => PromiseLike<unknown>>(
        () => client.courses.get(id, callOptions()),
        () => client.courses.list({}, { ...callOptions(), maxPages: 2 }).toArray(),
        () => client.courses.list({}, callOptions()).first(),
        () => client.leads.delete(id, callOptions()),
        () => client.labels.update(id, { name: "x" }, callOptions()),
        () => client.organization.contacts.list({}, callOptions()).first(),
        () => client.courses.getMany([id, id + 1]),
        () => client.request({ method: "GET", path: `api/v1/rooms/${id}` }, callOptions()),
        () => client.requestPages({ path: "api/v1/rooms" }, { ...callOptions(), maxPages: 2 }).toArray(),
        () => admin.courses.list({}, callOptions()).first(),
      )();
    });
  } finally {
    delete process.env.EDUCATION_ADMIN_API_KEY;
  }
  expect(service.requests.length).toBeGreaterThan(CALLS);
  expect([...statuses.keys()].sort()).toEqual([200, 204, 301, 302, 307, 401, 403, 404, 422, 429, 503]);
  expect(service.requests.filter(({ headers }) => "authorization" in headers)).toEqual([]);
  expect(elsewhere.requests).toEqual([]);
});
