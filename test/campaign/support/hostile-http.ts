import { EducationAdminError, MainClient } from "education-admin-sdk";
import { type Case, clientOf, TIMEOUT_MS, TOKEN } from "./hostile-case.ts";

/** Cases over real HTTP, answered by the scripted server. */
export function overHttp(origin: string, drippingOrigin: string, crumblingOrigin: string): Case[] {
  const client = clientOf(origin);
  const headersOf = (name: string) => ({ headers: { "x-case": name } });
  const get = (name: string, timeout = 60_000) => client.courseVariants.get(1, { ...headersOf(name), timeout });
  const list = (name: string, timeout = 60_000) =>
    client.courseVariants.list({}, { ...headersOf(name), timeout }).then(({ records }) => records);
  const hasProtoKey = (value: unknown) =>
    Object.hasOwn(value as object, "__proto__") && (value as { name?: string }).name !== undefined;
  const slow = { ms: 10_000 };
  // Uses a new client, because these cases measure how much a client remembers of a service that invents fields.
  const learning = (name: string) => {
    const fresh = clientOf(origin);
    const read = () =>
      fresh.courseVariants.list({}, { ...headersOf(name), timeout: 60_000 }).then(({ records }) => records);
    return { name, end: "data", act: read, ...slow } as const;
  };
  return [
    {
      name: "polluting_record",
      end: "data",
      act: () => get("polluting_record"),
      inspect: (found) => (hasProtoKey(found) ? null : "the key is gone"),
    },
    {
      name: "polluting_list",
      end: "data",
      act: () => list("polluting_list"),
      inspect: (found) => (hasProtoKey((found as unknown[])[0]) ? null : "the key is gone"),
    },
    {
      name: "polluting_error",
      end: "api",
      act: () => get("polluting_error"),
      // Turns the error into JSON and back, as if it passed through a queue.
      inspect: (found) => {
        const json = JSON.parse(JSON.stringify(found).replace("{", '{"__proto__":{"polluted":true},'));
        const again = EducationAdminError.fromJSON(json);
        return again instanceof EducationAdminError && !("polluted" in again) ? null : "fromJSON let a prototype in";
      },
    },
    { name: "deep_arrays", end: "data", act: () => get("deep_arrays") },
    { name: "deep_objects", end: "data", act: () => get("deep_objects") },
    { name: "deep_instead_of_list", end: "data", act: () => list("deep_instead_of_list") },
    { name: "deep_known_field", end: "data", act: () => get("deep_known_field") },
    { name: "deep_error", end: "api", act: () => get("deep_error") },
    { name: "huge_record", end: "data", ...slow, mb: 250, act: () => get("huge_record") },
    { name: "huge_list", end: "data", ...slow, mb: 500, act: () => list("huge_list") },
    { name: "huge_numbers", end: "data", ...slow, mb: 100, act: () => list("huge_numbers") },
    { name: "huge_error", end: "api", ...slow, mb: 150, act: () => get("huge_error") },
    { name: "huge_html", end: "response_format", ...slow, mb: 250, act: () => get("huge_html") },
    { ...learning("invented_fields"), mb: 250 },
    { ...learning("invented_long_names"), mb: 150 },
    learning("invented_code"),
    {
      name: "invented_fields, strict",
      end: "data",
      ...slow,
      mb: 150,
      act: () => client.courseVariants.list({}, { ...headersOf("invented_fields"), validation: "strict" }),
    },
    {
      name: "long_identifier, strict",
      end: "response_validation",
      act: () => client.courseVariants.list({}, { ...headersOf("long_identifier"), validation: "strict" }),
    },
    // The campaign limits a body to 64 MB. The measured memory includes the buffers that the body outgrew.
    { name: "endless_body", end: "response_format", ...slow, mb: 400, act: () => list("endless_body") },
    { name: "endless_error_body", end: "api", ...slow, mb: 400, act: () => get("endless_error_body") },
    { name: "compressed_bomb", end: "response_format", ...slow, mb: 400, act: () => list("compressed_bomb") },
    { name: "announced_10_gigabytes", end: "response_format", act: () => list("announced_10_gigabytes") },
    { name: "dripping_body", end: "timeout", ms: TIMEOUT_MS + 1_000, act: () => get("dripping_body", TIMEOUT_MS) },
    {
      name: "dripping_headers",
      end: "timeout",
      ms: TIMEOUT_MS + 1_000,
      act: () => clientOf(drippingOrigin).courseVariants.get(1),
    },
    {
      name: "crumbling_body",
      end: "timeout",
      ms: 8_000,
      mb: 250,
      act: () => clientOf(crumblingOrigin).courseVariants.get(1, { timeout: 4_000 }),
    },
    { name: "large_header", end: "connection", act: () => list("large_header") },
    {
      name: "retry_after_ages",
      end: "rate_limited",
      act: () =>
        client.courseVariants.get(1, { ...headersOf("retry_after_ages"), totalTimeout: 60_000, retry: { limit: 5 } }),
      inspect: (found) => ((found as { resetAt: Date }).resetAt.getTime() > Date.now() ? null : "resetAt is past"),
    },
    {
      name: "retry_after_ages, everybody else",
      end: "rate_limited",
      act: async () => {
        const shared = new MainClient({ baseUrl: origin, apiKey: `${TOKEN}-of-its-own` });
        const options = { ...headersOf("retry_after_ages"), totalTimeout: 60_000 };
        await shared.courseVariants.get(1, options).catch(() => undefined);
        return shared.courseVariants.get(2, options);
      },
      inspect: (found) => ((found as { attempts: number }).attempts === 0 ? null : "it was sent"),
    },
  ];
}
