import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { jsonResponse, recordingFetch } from "../support/fetch.js";
import { accountRecord } from "../support/records.js";

const network = { offline: true, reason: new TypeError("cannot be loaded") };

const NOT_LOADED = {
  name: "ConnectionError",
  code: "connection",
  outcome: "not_sent",
  message: "The library's code for lookups could not be loaded. Nothing was sent.",
  // The test runner wraps the error that the mock throws.
  cause: { cause: network.reason },
};

const LOADED_LATER = ["lookups/code.js", "core/call/failure-words.js", "core/lists/read-checkpoint.js"];

beforeEach(() => {
  network.offline = true;
  vi.resetModules();
  // Simulates a page that loses its network connection and gets it back.
  for (const file of LOADED_LATER) {
    vi.doMock(`../../src/${file}`, async (importOriginal) => {
      if (network.offline) throw network.reason;
      return importOriginal();
    });
  }
});

afterEach(() => {
  for (const file of LOADED_LATER) vi.doUnmock(`../../src/${file}`);
  vi.resetModules();
});

async function clientWith(options: object) {
  const { MainClient } = await import("../../src/index.js");
  return new MainClient({ baseUrl: "https://school.example", apiKey: "key-of-lookups", ...options });
}

test("a lookup whose code failed to load works after it loads", async () => {
  const { fetch } = recordingFetch(() => jsonResponse([accountRecord()]));
  const byName = (await clientWith({ fetch })).accounts.lookup("name");
  const { id, name } = accountRecord();
  await expect(byName.get(name)).rejects.toMatchObject(NOT_LOADED);
  network.offline = false;
  expect((await byName.get(name))?.id).toBe(id);
});

test("records by identifier whose code failed to load are read after it loads, and only once", async () => {
  const { id } = accountRecord();
  const { fetch, calls } = recordingFetch(() => jsonResponse(accountRecord()));
  const many = (await clientWith({ fetch })).accounts.getMany([id]);
  await expect(many).rejects.toMatchObject(NOT_LOADED);
  await expect(many.plan()).rejects.toMatchObject(NOT_LOADED);
  network.offline = false;
  expect(await many).toMatchObject([{ id }]);
  expect(await many).toEqual(await many);
  expect(calls).toHaveLength(1);
});

test("a list with references whose code failed to load reports that and sends nothing", async () => {
  const { fetch, calls } = recordingFetch(() => jsonResponse([]));
  const joined = (await clientWith({ fetch })).invoices.list().with({ account: true });
  await expect(joined.first()).rejects.toMatchObject(NOT_LOADED);
  expect(calls).toEqual([]);
  network.offline = false;
  expect((await joined.first()).records).toEqual([]);
});

test("wrong input is refused with the names of its fields, without loading more code", async () => {
  const { fetch, calls } = recordingFetch(() => jsonResponse([]));
  const { accounts } = await clientWith({ fetch });
  await expect(accounts.create({ nmae: "A" } as never)).rejects.toMatchObject({
    name: "InputError",
    outcome: "not_sent",
    message: expect.stringContaining("nmae is not a known field"),
  });
  expect(calls).toEqual([]);
});

test("a resumed list works after the code that reads its checkpoint loads", async () => {
  const { fetch } = recordingFetch(() => jsonResponse([accountRecord()]));
  const { accounts } = await clientWith({ fetch });
  const { checkpoint } = await accounts.list();
  const list = accounts.list({}, { resume: checkpoint });
  const message = "The library's code for checkpoints could not be loaded. Nothing was sent.";
  await expect(list.first()).rejects.toMatchObject({ ...NOT_LOADED, message });
  network.offline = false;
  expect((await list.first()).records).toEqual([]);
});
