import { describe, expect, it } from "vitest";
import { createWebhookHandler, parseWebhook, type WebhookEvent, type WebhookReport } from "../../src/webhooks/index.js";
import {
  ANOTHER,
  forgedDeliveries,
  genuine,
  hmacOf,
  MINE,
  type Post,
  rotatedDelivery,
  TENANT,
} from "./service-signer.js";

function requestOf({ headers, body }: Post, type = "application/json"): Request {
  const all = new Headers({ "content-type": type });
  for (const [name, value] of headers) all.append(name, value);
  return new Request("http://localhost/webhooks", { method: "POST", headers: all, body: Uint8Array.from(body) });
}

function receiver(secrets: string | string[] | (() => string[]), header?: string) {
  const refused: Extract<WebhookReport, { kind: "refused" }>[] = [];
  const events: WebhookEvent[] = [];
  const handler = createWebhookHandler({
    signature: { secrets, header },
    report: (report) => void (report.kind === "refused" && refused.push(report)),
    onEvent: (event) => void events.push(event),
  });
  return { handler, refused, events, status: async (post: Post) => (await handler(requestOf(post))).status };
}

const seconds = () => Math.floor(Date.now() / 1_000);

/** A delivery with this body, signed with the receiver's secret. */
function signedPost(body: Buffer): Post {
  const value = `t = ${seconds()}, signature = ${hmacOf(MINE, seconds(), body)}`;
  return { name: "one", headers: [["acme-signature-v1", value]], body };
}

describe("a receiver of deliveries in the service's documented form", () => {
  it.each([["one secret", MINE] as const, ["two secrets", [ANOTHER, MINE]] as const])(
    "accepts twelve kinds with %s and returns the same events",
    async (_, secrets) => {
      const { handler, events, status } = receiver(typeof secrets === "string" ? secrets : [...secrets]);
      for (const post of genuine(seconds())) expect(await status(post), post.name).toBe(200);
      await handler.drain();
      const ids = events.map(({ event_data }) => Number(event_data.id)).sort((one, other) => one - other);
      expect(ids).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
      for (const { event_data, ...event } of events) {
        expect(event).toEqual({ tenant_id: TENANT, educator: "academy", event: "invoice.updated" });
        if (event_data.id !== 9) expect(Object.keys(event_data)).toEqual(["id", "type"]);
      }
    },
  );

  it("refuses forty that are forged, stale, mixed or truncated, and names the received headers, not their values", async () => {
    const { handler, refused, events, status } = receiver(MINE);
    const posts = forgedDeliveries(seconds());
    for (const post of posts) expect(await status(post), post.name).toBe(401);
    await handler.drain();
    expect([posts.length, events.length, refused.length]).toEqual([40, 0, 40]);
    for (const [at, { headers }] of posts.entries()) {
      const names = [...new Set(headers.map(([name]) => name))].sort();
      expect([...(refused[at]?.signatureHeaders ?? [])].sort()).toEqual(names);
    }
    expect(JSON.stringify(refused)).not.toMatch(/[0-9a-f]{32}/);
    const reasons = new Set(refused.map(({ reason }) => reason));
    expect([...reasons].sort()).toEqual([
      "in_the_future",
      "malformed_signature",
      "missing_signature",
      "several_signatures",
      "too_old",
      "wrong_signature",
    ]);
  });

  it("names at most five received headers, each with at most 100 characters", async () => {
    const { refused, status } = receiver(MINE);
    const headers = Array.from({ length: 50 }, (_, at) => [`signature-${at}-${"x".repeat(200)}`, "v"] as const);
    expect(await status({ name: "many", headers, body: Buffer.from("{}") })).toBe(401);
    expect(refused[0]?.signatureHeaders).toHaveLength(5);
    expect(refused[0]?.signatureHeaders?.map((name) => name.length)).toEqual([100, 100, 100, 100, 100]);
  });

  it("reads only the configured header", async () => {
    const { status } = receiver(MINE, "X-Hook");
    const post = signedPost(Buffer.from('{"event":"a.b"}'));
    const [[, value] = ["", ""]] = post.headers;
    expect(await status(post)).toBe(401);
    expect(await status({ ...post, headers: [["x-hook", value]] })).toBe(200);
    expect(await status({ ...post, headers: [...post.headers, ["x-hook", value]] })).toBe(200);
  });

  it("accepts every delivery while secrets are rotated twice under load", async () => {
    let known = [MINE];
    let signing = [MINE];
    const third = "third secret, made by the second rotation";
    const { handler, events, status } = receiver(() => known);
    const posting: Promise<number>[] = [];
    const steps: (() => void)[] = [
      () => (signing = [ANOTHER, MINE]),
      () => (known = [ANOTHER, MINE]),
      () => (known = [ANOTHER]),
      () => (signing = [third, ANOTHER]),
      () => (known = [third, ANOTHER]),
    ];
    for (let id = 1; id <= 120; id++) {
      posting.push(status(rotatedDelivery(id, signing)));
      // Every delivery signed only with the oldest secret is verified before a receiver forgets that secret.
      if (id % 20 === 0) {
        await Promise.all(posting);
        steps.shift()?.();
      }
    }
    expect(new Set(await Promise.all(posting))).toEqual(new Set([200]));
    await handler.drain();
    expect(events).toHaveLength(120);
  });
});

describe("the bytes of a body", () => {
  const text = '{"event":"course.updated","event_data":{"id":1,"name":"Café"}}';

  it("in UTF-8 are accepted, whatever character set the content type names", async () => {
    const { handler, events } = receiver(MINE);
    for (const type of ["application/json; charset=iso-8859-1", "application/json;charset=UTF-16"]) {
      expect((await handler(requestOf(signedPost(Buffer.from(text)), type))).status, type).toBe(200);
    }
    await handler.drain();
    expect(events[0]?.event_data.name).toBe("Café");
  });

  it.each([
    ["Latin-1", Buffer.from(text, "latin1")],
    ["UTF-16", Buffer.from(`\ufeff${text}`, "utf16le")],
  ])("in %s are refused as not an event, even with a valid signature", async (_, body) => {
    const { refused, status } = receiver(MINE);
    expect(await status(signedPost(body))).toBe(400);
    expect(refused).toEqual([{ kind: "refused", status: 400, reason: "not_json" }]);
  });

  it("may begin with a byte order mark, even as text", () => {
    for (const body of [`\ufeff${text}`, Buffer.from(`\ufeff${text}`)]) {
      expect(parseWebhook(body)).toMatchObject({ event: "course.updated" });
    }
  });
});
