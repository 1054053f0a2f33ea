// Signs deliveries the way the service documents, using only `node:crypto`, so that this file shares no code with the
// library.
import { createHmac } from "node:crypto";

/** A delivery in transit: the headers with its signature, and its bytes. */
export interface Post {
  readonly name: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
}

/** The receiver's secret. `ANOTHER` is one that it does not have yet, or no longer, during a rotation. */
export const MINE = "f3b1c0de5a7e4d2c9b8a7f6e5d4c3b2a";
export const ANOTHER = "0a1b2c3d4e5f60718293a4b5c6d7e8f9";
const STRANGER = "ffffffffffffffffffffffffffffffff";

export const TENANT = "5f0c1d7e-2b7a-4b60-9d7c-0a4a3f1f6a11";

const bodyOf = (id: number, event_data: object = { id, type: "Invoice" }): Buffer =>
  Buffer.from(JSON.stringify({ tenant_id: TENANT, educator: "academy", event: "invoice.updated", event_data }));

const olderBodyOf = (id: number): Buffer =>
  Buffer.from(
    `{"notification": {"event": "invoice.updated", "educator": "academy", "entity_id": ${id}, ` +
      `"tenant_id": "${TENANT}", "entity_type": "Invoice"}}`,
  );

export const hmacOf = (secret: string, time: number | string, body: Buffer): string =>
  createHmac("sha256", secret).update(`${time}.`).update(body).digest("hex");

/** Twelve kinds of genuine deliveries, about the invoices 1 to 12, each posted at a time in unix seconds. */
export function genuine(now: number): Post[] {
  const sign = (body: Buffer, secret = MINE, time: number | string = now) => hmacOf(secret, time, body);
  const forms: [name: string, body: Buffer, header: string, value: (body: Buffer) => string][] = [
    ["without blanks", bodyOf(1), "acme-signature-v1", (b) => `t=${now},signature=${sign(b)}`],
    ["with blanks", bodyOf(2), "Acme-Signature-V1", (b) => `t = ${now}, signature = ${sign(b)}`],
    [
      "two signatures, with the receiver's secret as the primary one",
      bodyOf(3),
      "acme-signature-v1",
      (b) => `t=${now},signature=${sign(b)},signature=${sign(b, ANOTHER)}`,
    ],
    [
      "two signatures, with the receiver's secret as the secondary one",
      bodyOf(4),
      "learning-academy-signature-v1",
      (b) => `t = ${now}, signature = ${sign(b, ANOTHER)}, signature = ${sign(b)}`,
    ],
    ["blanks before the equals signs only", bodyOf(5), "x-signature-v1", (b) => `t =${now},signature =${sign(b)}`],
    ["capital digits", bodyOf(6), "A1-Signature-v1", (b) => `t=${now}, signature=${sign(b).toUpperCase()}`],
    ["the older body", olderBodyOf(7), "acme-signature-v1", (b) => `t=${now},signature=${sign(b)}`],
    [
      "the older body, two signatures",
      olderBodyOf(8),
      "acme-signature-v1",
      (b) => `t = ${now}, signature = ${sign(b, ANOTHER)}, signature = ${sign(b)}`,
    ],
    [
      "the whole record, beyond ASCII, with blanks between the fields of its JSON",
      Buffer.from(
        JSON.stringify(
          {
            tenant_id: TENANT,
            educator: "academy",
            event: "invoice.updated",
            event_data: { id: 9, footnote: "Café – naïve 🎓", updated_at: "2030-01-01T09:00:00Z" },
          },
          null,
          2,
        ),
      ),
      "acme-signature-v1",
      (b) => `t=${now},signature=${sign(b)}`,
    ],
    [
      "a body that begins with a byte order mark",
      Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bodyOf(10)]),
      "acme-signature-v1",
      (b) => `t=${now},signature=${sign(b)}`,
    ],
    [
      "signed four minutes ago",
      bodyOf(11),
      "acme-signature-v1",
      (b) => {
        const time = now - 240;
        return `t=${time}, signature=${sign(b, MINE, time)}`;
      },
    ],
    [
      "with tabs, many blanks and blanks at the ends",
      bodyOf(12),
      "acme-signature-v1",
      (b) => ` \t t\t =  ${now} ,\t signature  =\t${sign(b)}   ,   signature=${sign(b, ANOTHER)} \t`,
    ],
  ];
  return forms.map(([name, body, header, value]) => ({ name, body, headers: [[header, value(body)]] }));
}

/** A delivery signed with these secrets, in their order. */
export function rotatedDelivery(id: number, secrets: readonly string[]): Post {
  const now = Math.floor(Date.now() / 1_000);
  const body = bodyOf(id);
  const signatures = secrets.map((secret) => `, signature = ${hmacOf(secret, now, body)}`);
  return { name: `rotated ${id}`, headers: [["acme-signature-v1", `t = ${now}${signatures.join("")}`]], body };
}

/** Forty forged, stale, mixed and truncated deliveries about the invoice 99. */
export function forgedDeliveries(now: number): Post[] {
  const H = "acme-signature-v1";
  const body = bodyOf(99);
  const other = bodyOf(98);
  const good = hmacOf(MINE, now, body);
  const T = `t=${now}`;
  const value = (text: string, sent = body): Pick<Post, "headers" | "body"> => ({ headers: [[H, text]], body: sent });
  const by = (secret: string, time: number | string = now, of = body) => `signature=${hmacOf(secret, time, of)}`;
  const at = (time: number) => `t=${time},${by(MINE, time)}`;
  const hmacWithName = (name: string) => createHmac("sha256", MINE).update(name).update(body);
  const posts: Record<string, Pick<Post, "headers" | "body">> = {
    // Forged
    "no header": { headers: [], body },
    "an empty header": value(""),
    "another secret": value(`${T},${by(STRANGER)}`),
    "two signatures by others": value(`${T},${by(STRANGER)},${by("another")}`),
    "an empty secret": value(`${T},${by("")}`),
    zeros: value(`${T},signature=${"0".repeat(64)}`),
    "one digit changed": value(`${T},signature=${good.slice(0, -1)}${good.endsWith("0") ? "1" : "0"}`),
    "one byte of the body changed": value(`${T},signature=${good}`, Buffer.from(`${body}`.replace("99", "97"))),
    "a blank behind the body": value(`${T},signature=${good}`, Buffer.concat([body, Buffer.from(" ")])),
    "the body parsed and written again": value(
      `${T},signature=${good}`,
      Buffer.from(JSON.stringify(JSON.parse(`${body}`), null, 1)),
    ),
    "no body": value(`${T},signature=${good}`, Buffer.alloc(0)),
    "the body signed without the time": value(`${T},signature=${hmacWithName("").digest("hex")}`),
    "the time without the dot": value(`${T},signature=${hmacWithName(`${now}`).digest("hex")}`),
    "SHA-512": value(
      `${T},signature=${createHmac("sha512", MINE).update(`${now}.`).update(body).digest("hex").slice(0, 64)}`,
    ),
    base64: value(`${T},signature=${Buffer.from(good, "hex").toString("base64")}`),
    "the signature alone": value(good),
    "the hash without a secret": value(`${T},signature=${createHmac("sha256", "").update(body).digest("hex")}`),
    "under the name of another header": { headers: [["x-signature", `${T},signature=${good}`]], body },
    "under a name that goes on": { headers: [[`${H}2`, `${T},signature=${good}`]], body },
    "under a name of another version": { headers: [["acme-signature-v2", `${T},signature=${good}`]], body },
    // Stale
    "301 seconds old": value(at(now - 301)),
    "a day old": value(at(now - 86_400)),
    "400 seconds ahead": value(at(now + 400)),
    "in milliseconds": value(`t=${now * 1_000},${by(MINE, now * 1_000)}`),
    "signed in 1970": value(at(1)),
    "an old signature with a new time": value(`${T},${by(MINE, now - 1_000)}`),
    "a negative time": value(at(-now)),
    "no time": value(by(MINE)),
    "a time that is no number": value(`t=now,${by(MINE, "now")}`),
    // Mixed
    "the signature of another delivery": value(`${T},${by(MINE, now, other)}`),
    "two headers, both genuine": {
      headers: [
        [H, `${T},signature=${good}`],
        ["other-signature-v1", `${T},signature=${good}`],
      ],
      body,
    },
    "two headers, one genuine": {
      headers: [
        [H, `${T},${by(STRANGER)}`],
        ["other-signature-v1", `${T},signature=${good}`],
      ],
      body,
    },
    "the same header twice": {
      headers: [
        [H, `${T},signature=${good}`],
        [H, `${T},signature=${good}`],
      ],
      body,
    },
    "two headers joined to one": value(`t=${now - 1_000},${by(MINE, now - 1_000)}, ${T},signature=${good}`),
    "two times": value(`t=${now - 1},${T},signature=${good}`),
    "separated by semicolons": value(`${T};signature=${good}`),
    // Truncated
    "half a signature": value(`${T},signature=${good.slice(0, 32)}`),
    "a signature without its last digit": value(`${T},signature=${good.slice(0, -1)}`),
    "a second signature that breaks off": value(`${T},signature=${good},signatu`),
    "half of the body": value(`${T},signature=${good}`, body.subarray(0, body.length / 2)),
  };
  return Object.entries(posts).map(([name, post]) => ({ name, ...post }));
}
