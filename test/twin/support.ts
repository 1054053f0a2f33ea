import { MainClient } from "../../src/index.js";
import { createSandbox, type Sandbox, type SandboxOptions, type Twin } from "../../src/sandbox/index.js";
import { type TakeTwinOptions, takeTwin } from "../../src/twin/index.js";
import { type Otherwise, serveSchool, withHeaders, withRecords } from "../doctor/support.js";

export const NOW = "2030-06-01T12:00:00.000Z";

/** Deviations of a school from the sandbox. */
export type Deviation = { readonly options?: SandboxOptions } & Otherwise;

/** A client of a school with some deviations; by default the school has 60 people. */
export async function school({ options, ...otherwise }: Deviation = {}): Promise<MainClient> {
  const { sandbox, fetch, baseUrl } = await serveSchool(otherwise, {
    ...{ size: 60, now: NOW, rateLimit: false },
    ...options,
  });
  return new MainClient({
    ...{ baseUrl, apiKey: sandbox.main.apiKey, clock: sandbox.clock, rateLimit: false },
    fetch: (url: string, init: object) => fetch(new Request(url, init)),
    // Retries do not help here: a failed request would fail again.
    retry: false,
    on: { drift: () => undefined },
  });
}

/** A twin of a school, read back from its file. */
export async function twinOf(client: MainClient, options: TakeTwinOptions = {}): Promise<Twin> {
  return JSON.parse(JSON.stringify(await takeTwin(client, options))) as Twin;
}

/** A sandbox like a school, and its client. */
export function like(twin: Twin, options: SandboxOptions = {}): { sandbox: Sandbox; client: MainClient } {
  const sandbox = createSandbox({ twin, now: NOW, rateLimit: false, ...options });
  return { sandbox, client: new MainClient({ ...sandbox.main, on: { drift: () => undefined } }) };
}

type AnyRecord = Record<string, unknown>;

/** Changes the records of a list, also when they are read one by one. */
export function records(path: string, change: (record: AnyRecord) => AnyRecord | undefined): Deviation {
  return {
    answer: (response, request, { pathname }) =>
      request.method === "GET" && new RegExp(`/v1/${path}(/\\d+)?$`).test(pathname)
        ? withRecords(response, (all) => all.flatMap((each) => change(each) ?? []))
        : undefined,
  };
}

/** Sets a field to another value in every nth record of a list. */
export function field(path: string, name: string, value: unknown, every = 1): Deviation {
  return records(path, (record) => {
    if (Number(record.id) % every !== 0) return record;
    const { [name]: _, ...others } = record;
    return value === undefined ? others : { ...others, [name]: value };
  });
}

/** Adds headers to every response. */
export function headers(values: Readonly<Record<string, string>>): Deviation {
  return { answer: (response) => withHeaders(response, values) };
}
