import { createHmac } from "node:crypto";
import { runInNewContext } from "node:vm";
import { describe, expect, it, vi } from "vitest";
import { ConfigurationError, EducationAdminError } from "../../src/core/errors.js";
import { signWebhook, verifyWebhook, WebhookVerificationError } from "../../src/webhooks/index.js";
import { growsWithItsSize } from "../support/processor-time.js";
import { runWebhookVectors, SIGNED_AT, webhookVectors } from "./vectors.js";

const body = '{"event":"invoice.updated","event_data":{"id":1}}';
const now = () => SIGNED_AT * 1_000;
const hmac = (secret: string) => createHmac("sha256", secret).update(`${SIGNED_AT}.${body}`).digest("hex");

describe("verifyWebhook", () => {
  it("comes to the expected end for every vector, as text and as bytes", async () => {
    expect(await runWebhookVectors(verifyWebhook)).toEqual([]);
    expect(webhookVectors.length).toBeGreaterThan(30);
  });

  it("notices a verifier that accepts everything or nothing, so that the vectors mean something", async () => {
    expect((await runWebhookVectors(async () => ({ secretIndex: 0 }))).length).toBeGreaterThan(20);
    expect((await runWebhookVectors(async () => Promise.reject(new Error("no")))).length).toBe(
      webhookVectors.length * 2,
    );
  });

  it("accepts any signature with any secret: all nine pairs of three and three", async () => {
    const names = ["one", "two", "three"];
    for (const [position] of names.entries()) {
      for (const [index, secret] of names.entries()) {
        const signatures = ["00".repeat(32), "11".repeat(32), "22".repeat(32)];
        signatures[position] = hmac(secret);
        const header = `t=${SIGNED_AT},${signatures.map((one) => `signature=${one}`).join(",")}`;
        const headers = { "webhook-signature": header };
        expect(await verifyWebhook({ body, headers, secrets: names, now })).toEqual({
          timestamp: SIGNED_AT,
          secretIndex: index,
        });
      }
    }
  });

  it("takes headers as Headers, as node:http has them and as a plain object in any case", async () => {
    const header = `t=${SIGNED_AT},signature=${hmac("s")}`;
    const kinds = [
      new Headers({ "X-Hook": header }),
      { "x-hook": header },
      { "X-HOOK": header },
      { "x-hook": [`t=${SIGNED_AT}`, `signature=${hmac("s")}`] },
      { host: "school.example", "X-HOOK": undefined, "x-hook": header },
    ];
    for (const headers of kinds) {
      await expect(
        verifyWebhook({ body, headers, secrets: "s", scheme: { header: "X-Hook" }, now }),
      ).resolves.toBeTruthy();
    }
  });

  it("takes bytes as Buffer, part of a larger buffer, ArrayBuffer and bytes of another realm", async () => {
    const headers = { "webhook-signature": `t=${SIGNED_AT},signature=${hmac("s")}` };
    const buffer = Buffer.from(`xx${body}yy`);
    const bytes = [...new TextEncoder().encode(body)];
    const kinds: (Uint8Array | ArrayBuffer)[] = [
      Buffer.from(body),
      buffer.subarray(2, buffer.length - 2),
      Uint8Array.from(bytes).buffer,
      runInNewContext("Uint8Array.from(bytes)", { bytes }) as Uint8Array,
      runInNewContext("Uint8Array.from(bytes).buffer", { bytes }) as ArrayBuffer,
    ];
    for (const kind of kinds)
      await expect(verifyWebhook({ body: kind, headers, secrets: "s", now })).resolves.toBeTruthy();
  });

  it("refuses a parsed object, in types and with a message that says what to do", async () => {
    const headers = { "webhook-signature": `t=${SIGNED_AT},signature=${hmac("s")}` };
    // @ts-expect-error a parsed body has no bytes to verify
    const parsed = verifyWebhook({ body: JSON.parse(body) as object, headers, secrets: "s", now });
    const error = await parsed.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(WebhookVerificationError);
    expect(error).toMatchObject({ reason: "parsed_body", code: "webhook", name: "WebhookVerificationError" });
    expect(String(error)).toMatch(/raw body.*express\.raw/);
    for (const other of [undefined, null, 7, [1]]) {
      await expect(verifyWebhook({ body: other as never, headers, secrets: "s", now })).rejects.toMatchObject({
        reason: "parsed_body",
      });
    }
  });

  it("refuses to verify without a secret, naming no value", async () => {
    const none = undefined as unknown as string;
    for (const secrets of [[], "", [""], " ", ["good", "\t\n"], ["good", none], none]) {
      // Signed with it, where it is one: a blank secret must not even verify what bears its signature.
      const headers = { "webhook-signature": `t=${SIGNED_AT},signature=${hmac([secrets].flat().at(-1) ?? "")}` };
      const error = await verifyWebhook({ body, headers, secrets, now }).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(ConfigurationError);
      expect(String(error)).not.toContain("good");
      await expect(signWebhook({ body, secrets })).rejects.toBeInstanceOf(ConfigurationError);
    }
  });

  it("computes every secret's MAC and compares whole MACs, wherever the first difference is", async () => {
    const sign = vi.spyOn(globalThis.crypto.subtle, "sign");
    const header = { "webhook-signature": `t=${SIGNED_AT},signature=${hmac("one")},signature=${"00".repeat(32)}` };
    await verifyWebhook({ body, headers: header, secrets: ["one", "two", "three"], now });
    expect(sign).toHaveBeenCalledTimes(3);
  });

  it("bounds the work a stranger's header can cause", async () => {
    const verify = (value: string) =>
      verifyWebhook({ body, headers: { "webhook-signature": value }, secrets: "s", now }).catch(
        (error: unknown) => error,
      );
    const many = `t=${SIGNED_AT},${Array.from({ length: 17 }, () => `signature=${hmac("s")}`).join(",")}`;
    expect(await verify(many)).toMatchObject({ reason: "malformed_signature" });
    for (const nonsense of ["a", " ", "=", "a ", "a="]) {
      const read = (length: number) => async () =>
        expect(await verify(nonsense.repeat(length / nonsense.length))).toMatchObject({
          reason: "malformed_signature",
        });
      expect(await growsWithItsSize(read, 8_000), nonsense).toBe(true);
    }
  });

  it("tells neither secret nor body nor header in its errors", async () => {
    const headers = { "webhook-signature": `t=${SIGNED_AT},signature=${"ab".repeat(32)}` };
    const error = (await verifyWebhook({ body: "personal", headers, secrets: "hush-hush", now }).catch(
      (thrown: unknown) => thrown,
    )) as EducationAdminError;
    expect(error).toBeInstanceOf(EducationAdminError);
    const told = `${error.stack}${JSON.stringify(error)}${String(error)}`;
    for (const value of ["personal", "hush-hush", "abab"]) expect(told).not.toContain(value);
  });
});

describe("signWebhook", () => {
  it("signs as OpenSSL does", async () => {
    const headers = await signWebhook({ body, secrets: "s", timestamp: SIGNED_AT });
    expect(headers).toEqual({ "webhook-signature": `t=${SIGNED_AT},signature=${hmac("s")}` });
  });

  it("writes one signature for every secret and the delivery's identifier where the scheme has a header for it", async () => {
    const scheme = { header: "x-signature", deliveryIdHeader: "x-delivery" };
    const headers = await signWebhook({ body, secrets: ["a", "b"], scheme, timestamp: SIGNED_AT, deliveryId: "d-1" });
    expect(headers).toEqual({
      "x-signature": `t=${SIGNED_AT},signature=${hmac("a")},signature=${hmac("b")}`,
      "x-delivery": "d-1",
    });
  });

  it("writes no time where the scheme has none, and no identifier where there is none or no header for it", async () => {
    const scheme = { timestampField: null, deliveryIdHeader: "x-delivery" };
    const alone = await signWebhook({ body, secrets: "s", scheme });
    const mac = createHmac("sha256", "s").update(body).digest("hex");
    expect(alone).toEqual({ "webhook-signature": `signature=${mac}` });
    const headers = await signWebhook({ body, secrets: "s", timestamp: SIGNED_AT, deliveryId: "d-1" });
    expect(Object.keys(headers)).toEqual(["webhook-signature"]);
  });

  it("writes what verifyWebhook accepts, in every algorithm and encoding", async () => {
    for (const algorithm of ["SHA-256", "SHA-384", "SHA-512"] as const) {
      for (const encoding of ["hex", "base64"] as const) {
        for (const timestampField of ["t", "when", null]) {
          const scheme = { algorithm, encoding, timestampField, signatureField: "v1" };
          const headers = await signWebhook({ body, secrets: ["old", "new"], scheme });
          expect(await verifyWebhook({ body, headers, secrets: "new", scheme })).toMatchObject({ secretIndex: 0 });
        }
      }
    }
  });

  it("refuses a parsed object", async () => {
    // @ts-expect-error a parsed body has no bytes to sign
    await expect(signWebhook({ body: { event: "x" }, secrets: "s" })).rejects.toMatchObject({ reason: "parsed_body" });
  });
});

describe("other forms of a signature", () => {
  const body = '{"test": 2432232314}';

  it("reads Standard Webhooks: the vector of its reference implementation", async () => {
    const headers = {
      "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
      "webhook-timestamp": "1614265330",
      "webhook-signature": "v1a,AAAA v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE= v1,bm90IHRoaXMgb25l",
    };
    const now = () => 1_614_265_330_000;
    const given = { body, headers, now, scheme: { format: "standard-webhooks" } as const };
    const secrets = ["whsec_bm90IHRoaXMgb25l", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"];
    expect(await verifyWebhook({ ...given, secrets })).toEqual({ timestamp: 1_614_265_330, secretIndex: 1 });
    expect(await verifyWebhook({ ...given, secrets: "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" })).toMatchObject({
      secretIndex: 0,
    });
    const { "webhook-id": _id, ...withoutId } = headers;
    await expect(verifyWebhook({ ...given, headers: withoutId, secrets })).rejects.toMatchObject({
      reason: "wrong_signature",
    });
    const { "webhook-timestamp": _time, ...withoutTime } = headers;
    const noTime = verifyWebhook({ ...given, headers: withoutTime, secrets });
    await expect(noTime).rejects.toMatchObject({ reason: "missing_timestamp" });
    await expect(verifyWebhook({ ...given, now: Date.now, secrets })).rejects.toMatchObject({ reason: "too_old" });
    await expect(verifyWebhook({ ...given, secrets: "not base64!" })).rejects.toThrow(/are base64/);
  });

  it.each([
    [{ format: "standard-webhooks" }, "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
    [{ format: "bare", header: "x-signature" }, "s"],
    [{ format: "bare", header: "x-signature", encoding: "base64", algorithm: "SHA-512" }, "s"],
  ] as const)("verifies what it signs with %j, and nothing else", async (scheme, secret) => {
    const headers = await signWebhook({ body, secrets: [secret, secret.repeat(2)], scheme });
    expect(await verifyWebhook({ body, headers, secrets: secret, scheme })).toMatchObject({ secretIndex: 0 });
    for (const wrong of [{ body: `${body} ` }, { secrets: secret.repeat(4) }]) {
      const refused = verifyWebhook({ body, headers, secrets: secret, scheme, ...wrong });
      await expect(refused).rejects.toMatchObject({ reason: "wrong_signature" });
    }
  });

  it("reads a bare signature as the whole header", async () => {
    const scheme = { format: "bare", header: "x-signature" } as const;
    const headers = { "x-signature": createHmac("sha256", "s").update(body).digest("hex") };
    expect(await verifyWebhook({ body, headers, secrets: "s", scheme })).toEqual({ timestamp: null, secretIndex: 0 });
    const none = verifyWebhook({ body, headers: { "x-signature": "?" }, secrets: "s", scheme });
    await expect(none).rejects.toMatchObject({ reason: "malformed_signature" });
  });

  it.each([
    [{ format: "bare", timestampField: "t" }, "scheme has no option timestampField"],
    [{ format: "standard-webhooks", header: "x" }, "scheme has no option header"],
    [{ format: "other" }, "scheme.format must be one of"],
  ])("refuses the scheme %j", async (scheme, words) => {
    await expect(signWebhook({ body, secrets: "s", scheme: scheme as object })).rejects.toThrow(words);
  });
});
