import { createHmac } from "node:crypto";
import { runInNewContext } from "node:vm";
import { describe, expect, it, vi } from "vitest";
import { ConfigurationError, EducationAdminError, InputError } from "../../src/core/errors.js";
import { signWebhook, verifyWebhook, type WebhookHeaders, WebhookVerificationError } from "../../src/webhooks/index.js";
import { failure } from "../support/manual-clock.js";
import { growsWithItsSize } from "../support/processor-time.js";
import { runWebhookVectors, SIGNED_AT, webhookVectors } from "./vectors.js";

const body = '{"event":"invoice.updated","event_data":{"id":1}}';
const now = () => SIGNED_AT * 1_000;
const hmac = (secret: string) => createHmac("sha256", secret).update(`${SIGNED_AT}.${body}`).digest("hex");

describe("verifyWebhook", () => {
  it("returns the expected result for every vector, as text and as bytes", async () => {
    expect(await runWebhookVectors(verifyWebhook)).toEqual([]);
    expect(webhookVectors.length).toBeGreaterThan(30);
  });

  it("are failed by a verifier that accepts everything or nothing, so the vectors are meaningful", async () => {
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
        const headers = { "x-signature-v1": header };
        expect(await verifyWebhook({ body, headers, secrets: names, now })).toEqual({
          timestamp: SIGNED_AT,
          secretIndex: index,
        });
      }
    }
  });

  it("accepts headers as Headers, as node:http has them and as a plain object in any case", async () => {
    const header = `t=${SIGNED_AT},signature=${hmac("s")}`;
    for (const [name, option] of [
      ["x-hook", "X-Hook"],
      ["x-signature-v1", undefined],
    ] as const) {
      const kinds: WebhookHeaders[] = [
        new Headers({ [name]: header }),
        new Map([[name, header]]),
        { [name]: header },
        { [name.toUpperCase()]: header },
        { [name]: [header] },
        { host: "school.example", [name.toUpperCase()]: undefined, [name]: header },
      ];
      for (const headers of kinds) {
        await expect(verifyWebhook({ body, headers, secrets: "s", header: option, now })).resolves.toBeTruthy();
      }
    }
    await expect(verifyWebhook({ body, headers: null as never, secrets: "s", now })).rejects.toThrow(
      new ConfigurationError("verifyWebhook: headers must be Headers or an object with the headers of the delivery"),
    );
  });

  it("refuses two headers with signatures, in whatever form, and names the received ones without their values", async () => {
    const [one, other] = [`t=${SIGNED_AT},signature=${hmac("s")}`, `t=${SIGNED_AT},signature=${"00".repeat(32)}`];
    const twice = new Headers({ "x-signature-v1": one });
    twice.append("x-signature-v1", other);
    const several: [WebhookHeaders, string][] = [
      [{ "x-signature-v1": one, "Y-Signature-V1": other }, "several_signatures"],
      [{ "x-signature-v1": one, "X-Signature-V1": one }, "several_signatures"],
      [{ "x-signature-v1": [one, one] }, "several_signatures"],
      [{ "x-signature-v1": [one, other] }, "several_signatures"],
      [twice, "malformed_signature"],
    ];
    for (const [headers, reason] of several) {
      const error = await failure(verifyWebhook({ body, headers, secrets: "s", now }));
      expect(error).toMatchObject({ name: "WebhookVerificationError", reason });
      expect(error.message).not.toContain(hmac("s"));
    }
    const [headers] = several[0]!;
    expect(await failure(verifyWebhook({ body, headers, secrets: "s", now }))).toMatchObject({
      message: "The webhook has more than one header whose name ends in -signature-v1: x-signature-v1, y-signature-v1",
    });
    // A receiver that names a header reads no other.
    expect(await verifyWebhook({ body, headers, header: "X-Signature-v1", secrets: "s", now })).toBeTruthy();
    const others = { "x-signature": one, "x-signature-v1-old": one, "x-signature-v2": one };
    expect(await failure(verifyWebhook({ body, headers: others, secrets: "s", now }))).toMatchObject({
      reason: "missing_signature",
      message:
        'The webhook has no header whose name ends in -signature-v1; headers received with "signature" in their names: x-signature, x-signature-v1-old, x-signature-v2',
    });
  });

  it("accepts bytes as Buffer, part of a larger buffer, ArrayBuffer and bytes of another realm", async () => {
    const headers = { "x-signature-v1": `t=${SIGNED_AT},signature=${hmac("s")}` };
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

  it("refuses a parsed object, in types and with a message that names a remedy", async () => {
    const headers = { "x-signature-v1": `t=${SIGNED_AT},signature=${hmac("s")}` };
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

  it("refuses to verify without a secret, quoting no value", async () => {
    const none = undefined as unknown as string;
    for (const secrets of [
      [],
      "",
      [""],
      " ",
      ["good", "\t\n"],
      ["good", none],
      none,
      new Array<string>(1),
      "s\nt",
      '""',
    ]) {
      // Signed with the last of these secrets: a blank secret must not verify even its own signature.
      const headers = { "x-signature-v1": `t=${SIGNED_AT},signature=${hmac([secrets].flat().at(-1) ?? "")}` };
      const error = await verifyWebhook({ body, headers, secrets, now }).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(ConfigurationError);
      expect(String(error)).not.toContain("good");
      const unsigned = await failure(signWebhook({ body, secrets }));
      expect(unsigned).toBeInstanceOf(InputError);
      expect(unsigned).toMatchObject({ issues: [{ path: "secrets" }] });
      expect(String(unsigned)).not.toContain("good");
    }
  });

  it("computes every secret's MAC and compares whole MACs, wherever the first difference is", async () => {
    const sign = vi.spyOn(globalThis.crypto.subtle, "sign");
    const header = { "x-signature-v1": `t=${SIGNED_AT},signature=${hmac("one")},signature=${"00".repeat(32)}` };
    await verifyWebhook({ body, headers: header, secrets: ["one", "two", "three"], now });
    expect(sign).toHaveBeenCalledTimes(3);
  });

  it("limits the work that a stranger's header can cause", async () => {
    const verify = (value: string) =>
      verifyWebhook({ body, headers: { "x-signature-v1": value }, secrets: "s", now }).catch((error: unknown) => error);
    const many = `t=${SIGNED_AT},${Array.from({ length: 30 }, () => `signature=${hmac("s")}`).join(",")}`;
    expect(await verify(many)).toMatchObject({ reason: "malformed_signature" });
    for (const nonsense of ["a", " ", "=", "a ", "a=", ","]) {
      const read = (length: number) => async () =>
        expect(await verify(nonsense.repeat(length / nonsense.length))).toMatchObject({
          reason: "malformed_signature",
        });
      expect(await growsWithItsSize(read, 8_000), nonsense).toBe(true);
    }
  });

  it("reveals neither secret nor body nor header in its errors", async () => {
    const headers = { "x-signature-v1": `t=${SIGNED_AT},signature=${"ab".repeat(32)}` };
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
    expect(headers).toEqual({ "education-admin-signature-v1": `t=${SIGNED_AT},signature=${hmac("s")}` });
  });

  it("writes one signature for every secret, in a header of the caller's choice", async () => {
    const headers = await signWebhook({ body, secrets: ["a", "b"], header: "x-hook", timestamp: SIGNED_AT });
    expect(headers).toEqual({ "x-hook": `t=${SIGNED_AT},signature=${hmac("a")},signature=${hmac("b")}` });
  });

  it.each<[path: string, more: object]>([
    ["header", { header: "x y" }],
    ["timestamp", { timestamp: Number.NaN }],
    ["timestamp", { timestamp: -1 }],
    ["scheme", { scheme: {} }],
  ])("refuses a wrong %s: %j", async (path, more) => {
    const error = await failure(signWebhook({ body, secrets: "s", ...more }));
    expect(error).toBeInstanceOf(InputError);
    expect(error).toMatchObject({ issues: [{ path }] });
  });

  it("refuses options that are not an object", async () => {
    await expect(signWebhook(undefined as never)).rejects.toBeInstanceOf(InputError);
  });

  it("refuses a parsed object", async () => {
    // @ts-expect-error a parsed body has no bytes to sign
    await expect(signWebhook({ body: { event: "x" }, secrets: "s" })).rejects.toMatchObject({ reason: "parsed_body" });
  });
});
