import type { VerifyWebhookOptions, WebhookVerificationReason } from "../../src/webhooks/index.js";

// One list for every runtime: plain data and one function, importing only types. OpenSSL computed the MACs:   printf
// '%s' "1767225600.$body" | openssl dgst -sha256 -hmac "$secret"

/** One delivery, and the result that a receiver must reach. */
export interface WebhookVector {
  readonly name: string;
  readonly body: string;
  /** Value of the signature header; null if the header is missing. */
  readonly header: string | null;
  readonly secrets: readonly string[];
  /** Seconds between signing and receiving. Default 1. */
  readonly age?: number;
  /** Position of the secret that fits, or the reason why none fits. */
  readonly expected: number | WebhookVerificationReason;
}

/** The time at which every vector was signed, in unix seconds: 2026-01-01T00:00:00Z. */
export const SIGNED_AT = 1_767_225_600;

const BODY =
  '{"tenant_id":"5f0c1d7e-2b7a-4b60-9d7c-0a4a3f1f6a11","educator":"academy","event":"invoice.updated","event_data":{"id":4071,"type":"Invoice"}}';
const UNICODE_BODY = '{"event":"course.updated","event_data":{"id":7,"name":"Café – naïve 🎓"}}';

const CURRENT = "current secret";
const PREVIOUS = "previous secret";
const BY_CURRENT = "36bdf18fc3e194d61ce69fc22895707a754b431f91f645e475539b811d252f0d";
const BY_PREVIOUS = "b261a6257ba505b31b10f8663a3f63eb093cec70ed914afd08e42d31fd92543d";
const BY_STRANGER = "d53c561ceaecf255059ebda8dc8524b9ee8687956e94c7aebdc535803372a580";
const BODY_ALONE = "3807f1830104f857156d8de6de5f5c15df14f269101ef7fc317e21ed748cc8c7";

const T = `t=${SIGNED_AT}`;
const sent = { body: BODY, secrets: [CURRENT] };

/** Deliveries, each with the result that a receiver must reach. */
export const webhookVectors: readonly WebhookVector[] = [
  { ...sent, name: "one signature", header: `${T},signature=${BY_CURRENT}`, expected: 0 },
  {
    ...sent,
    name: "two signatures, the second fits",
    header: `${T},signature=${BY_STRANGER},signature=${BY_CURRENT}`,
    expected: 0,
  },
  {
    ...sent,
    name: "three signatures, the middle one fits",
    header: `${T},signature=${BY_STRANGER},signature=${BY_CURRENT},signature=${BY_PREVIOUS}`,
    expected: 0,
  },
  {
    ...sent,
    name: "spaces after the commas",
    header: `${T}, signature=${BY_STRANGER}, signature=${BY_CURRENT}`,
    expected: 0,
  },
  { ...sent, name: "spaces everywhere", header: `  t = ${SIGNED_AT} , signature = ${BY_CURRENT}  `, expected: 0 },
  {
    ...sent,
    name: "line breaks around the commas and equals signs",
    header: `t\r\n = ${SIGNED_AT}\r\n ,\n\tsignature\n=\r\n ${BY_STRANGER},\n signature = ${BY_CURRENT}\r\n`,
    expected: 0,
  },
  {
    ...sent,
    name: "separated by spaces",
    header: `${T} signature=${BY_CURRENT}`,
    expected: "malformed_signature",
  },
  {
    ...sent,
    name: "separated by semicolons",
    header: `${T};signature=${BY_CURRENT}`,
    expected: "malformed_signature",
  },
  { ...sent, name: "the time last", header: `signature=${BY_CURRENT},${T}`, expected: 0 },
  {
    ...sent,
    name: "the time in the middle",
    header: `signature=${BY_STRANGER},${T},signature=${BY_CURRENT}`,
    expected: 0,
  },
  { ...sent, name: "capital hexadecimal digits", header: `${T},signature=${BY_CURRENT.toUpperCase()}`, expected: 0 },
  { ...sent, name: "fields nobody knows", header: `v=2,${T},signature=${BY_CURRENT},kid=a7`, expected: 0 },
  {
    ...sent,
    name: "a field whose name ends alike",
    header: `${T},old_signature=${BY_CURRENT}`,
    expected: "malformed_signature",
  },
  {
    ...sent,
    name: "rotation: the previous secret still fits",
    secrets: [CURRENT, PREVIOUS],
    header: `${T},signature=${BY_PREVIOUS}`,
    expected: 1,
  },
  {
    ...sent,
    name: "rotation: the second secret fits the third signature",
    secrets: ["yet another", CURRENT],
    header: `${T},signature=${BY_STRANGER},signature=${BY_PREVIOUS},signature=${BY_CURRENT}`,
    expected: 1,
  },
  {
    name: "body and secret beyond ASCII",
    body: UNICODE_BODY,
    secrets: ["gehëim-🔑"],
    header: `${T},signature=4d4b61e91d6ae319365e56c55d5eaf1aed8b5c17f788ed06cfa390f9238bc18d`,
    expected: 0,
  },
  {
    name: "empty body",
    body: "",
    secrets: [CURRENT],
    header: `${T},signature=d50db0864e5f1ae2a0fe7d0f3274e7d68d2bffab7726bb5cc0048ecf2bc80cb2`,
    expected: 0,
  },
  { ...sent, name: "exactly as old as allowed", header: `${T},signature=${BY_CURRENT}`, age: 300, expected: 0 },
  { ...sent, name: "a second too old", header: `${T},signature=${BY_CURRENT}`, age: 301, expected: "too_old" },
  { ...sent, name: "exactly as far ahead as allowed", header: `${T},signature=${BY_CURRENT}`, age: -300, expected: 0 },
  {
    ...sent,
    name: "a second too far ahead",
    header: `${T},signature=${BY_CURRENT}`,
    age: -301,
    expected: "in_the_future",
  },
  { ...sent, name: "no header", header: null, expected: "missing_signature" },
  { ...sent, name: "an empty header", header: "", expected: "malformed_signature" },
  { ...sent, name: "no time", header: `signature=${BY_CURRENT}`, expected: "malformed_signature" },
  {
    ...sent,
    name: "a time that is no number",
    header: `t=yesterday,signature=${BY_CURRENT}`,
    expected: "malformed_signature",
  },
  { ...sent, name: "two different times", header: `${T},t=1,signature=${BY_CURRENT}`, expected: "malformed_signature" },
  { ...sent, name: "no signature", header: T, expected: "malformed_signature" },
  {
    ...sent,
    name: "a signature that is not hexadecimal",
    header: `${T},signature=zz`,
    expected: "malformed_signature",
  },
  { ...sent, name: "a signature of half a byte more", header: `${T},signature=abc`, expected: "malformed_signature" },
  {
    ...sent,
    name: "a time with letters in front",
    header: `t=x${SIGNED_AT},signature=${BY_CURRENT}`,
    expected: "malformed_signature",
  },
  {
    ...sent,
    name: "a time with letters behind",
    header: `t=${SIGNED_AT}x,signature=${BY_CURRENT}`,
    expected: "malformed_signature",
  },
  {
    ...sent,
    name: "the same time twice",
    header: `${T},${T},signature=${BY_CURRENT}`,
    expected: "malformed_signature",
  },
  {
    ...sent,
    name: "two headers that a proxy has joined, of one delivery",
    header: `${T},signature=${BY_CURRENT}, ${T},signature=${BY_CURRENT}`,
    expected: "malformed_signature",
  },
  {
    ...sent,
    name: "two headers that a proxy has joined, of two deliveries",
    header: `${T},signature=${BY_CURRENT}, t=${SIGNED_AT + 1},signature=${BY_STRANGER}`,
    expected: "malformed_signature",
  },
  { ...sent, name: "a comma too many", header: `${T},signature=${BY_CURRENT},`, expected: "malformed_signature" },
  {
    ...sent,
    name: "one secret given twice",
    secrets: ["yet another", CURRENT, CURRENT],
    header: `${T},signature=${BY_CURRENT}`,
    expected: 1,
  },
  {
    ...sent,
    name: "the current and the previous secret fit",
    secrets: [CURRENT, PREVIOUS],
    header: `${T},signature=${BY_CURRENT},signature=${BY_PREVIOUS}`,
    expected: 0,
  },
  {
    ...sent,
    name: "a header longer than is read",
    header: `${T},signature=${BY_CURRENT},x=${"y".repeat(2_048)}`,
    expected: "malformed_signature",
  },
  {
    ...sent,
    name: "a second signature that is truncated",
    header: `${T},signature=${BY_CURRENT},signature=${BY_PREVIOUS.slice(0, 40)}`,
    expected: "malformed_signature",
  },
  {
    ...sent,
    name: "half a signature",
    header: `${T},signature=${BY_CURRENT.slice(0, 32)}`,
    expected: "malformed_signature",
  },
  {
    ...sent,
    name: "a signature with more behind it",
    header: `${T},signature=${BY_CURRENT}00`,
    expected: "malformed_signature",
  },
  {
    ...sent,
    name: "one digit changed",
    header: `${T},signature=${BY_CURRENT.replace(/d$/, "c")}`,
    expected: "wrong_signature",
  },
  { ...sent, name: "another secret", header: `${T},signature=${BY_STRANGER}`, expected: "wrong_signature" },
  {
    ...sent,
    name: "one byte of the body changed",
    body: BODY.replace("4071", "4072"),
    header: `${T},signature=${BY_CURRENT}`,
    expected: "wrong_signature",
  },
  {
    ...sent,
    name: "the time changed",
    header: `t=${SIGNED_AT + 1},signature=${BY_CURRENT}`,
    expected: "wrong_signature",
  },
  {
    ...sent,
    name: "the body signed without the time",
    header: `${T},signature=${BODY_ALONE}`,
    expected: "wrong_signature",
  },
];

/** Verifies every vector as text and as bytes. Returns one line for each unexpected result. */
export async function runWebhookVectors(
  verify: (options: VerifyWebhookOptions) => Promise<{ secretIndex: number }>,
): Promise<string[]> {
  const failures: string[] = [];
  for (const vector of webhookVectors) {
    for (const body of [vector.body, new TextEncoder().encode(vector.body)]) {
      const actual = await outcome(verify, vector, body);
      if (actual !== vector.expected) {
        failures.push(`${vector.name} (${typeof body}): expected ${vector.expected}, got ${actual}`);
      }
    }
  }
  return failures;
}

async function outcome(
  verify: (options: VerifyWebhookOptions) => Promise<{ secretIndex: number }>,
  { header, secrets, age = 1 }: WebhookVector,
  body: string | Uint8Array,
): Promise<unknown> {
  const headers = header === null ? {} : { "X-Test-Signature-V1": header };
  const now = () => (SIGNED_AT + age) * 1_000;
  try {
    return (await verify({ body, headers, secrets, now })).secretIndex;
  } catch (error) {
    return (error as { reason?: unknown }).reason ?? String(error);
  }
}
