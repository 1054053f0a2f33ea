import { appendFileSync, linkSync, readdirSync, readFileSync, rmSync, symlinkSync, utimesSync } from "node:fs";
import { expect, test } from "vitest";
import { apply, type BulkError, plan, undo } from "../../src/bulk/node.js";
import { factLine } from "../../src/bulk/node-state.js";
import { MainClient } from "../../src/index.js";
import { leaveLock } from "../export/support/locks.js";
import { failure } from "../support/manual-clock.js";
import { testFolder } from "./support/folder.js";
import { connection, copies, each, people, school } from "./support/school.js";

async function planPeople() {
  const at = testFolder();
  const { sandbox, client } = school();
  await plan(client.users, people(3), { to: at("a.plan"), key: "email" });
  const applyError = async (path: string) => {
    const sent = sandbox.requests.length;
    const { message } = await failure(apply(client, path));
    expect(sandbox.requests).toHaveLength(sent);
    return message;
  };
  return { at, sandbox, client, refused: applyError };
}

test("a plan in use by another container is not touched until that container's lease ends", async () => {
  const { at, client, refused } = await planPeople();
  // No process on this machine has this number.
  await leaveLock(at("a.plan"), { pid: 2 ** 30, place: "another container" });
  expect(await refused(at("a.plan"))).toBe(
    `${at("a.plan")} is in use by process ${2 ** 30} of another container or machine; if it was killed, try again in 2 minutes. Nothing was sent.`,
  );
  utimesSync(at("a.plan.lock"), 1, Date.now() / 1000 - 121);
  expect(await apply(client, at("a.plan"))).toMatchObject({ created: 3 });
});

test("a plan with two hard links, or behind a symbolic link, and a folder are refused: each name would have its own lock", async () => {
  const { at, client, refused } = await planPeople();
  symlinkSync(at("a.plan"), at("link.plan"));
  expect(await refused(at("link.plan"))).toBe(
    `apply: ${at("link.plan")} is a symbolic link; name the file it leads to.`,
  );
  expect(await refused(`${at("a.plan")}/`)).toContain("a.plan/");
  expect(await failure(undo(at("a.plan"), { to: at("folder/") }))).toMatchObject({
    code: "input",
    message: `plan: ${at("folder/")} names a folder.`,
  });
  linkSync(at("a.plan"), at("b.plan"));
  for (const name of ["a.plan", "b.plan"]) {
    expect(await refused(at(name))).toBe(`apply: ${at(name)} has several names (hard links); name a copy.`);
  }
  rmSync(at("b.plan"));
  expect(await apply(client, at("a.plan"))).toMatchObject({ created: 3 });
  expect(readdirSync(at("")).sort()).toEqual(["a.plan", "link.plan"]);
});

test("only one process at a time applies a plan, even by another path", async () => {
  const { at, sandbox } = await planPeople();
  symlinkSync(at(""), at("alias"));
  let other: Promise<unknown> | null = null;
  const again = () => apply(new MainClient(connection(sandbox)), at("alias/a.plan"));
  const fetch: typeof globalThis.fetch = async (...request) => {
    other ??= failure(again());
    await other;
    return sandbox.fetch(...request);
  };
  const first = new MainClient({ ...connection(sandbox), fetch });
  expect(await apply(first, at("a.plan"))).toMatchObject({ created: 3, complete: true });
  expect(await other).toMatchObject({
    reason: "in_use",
    message: `${at("alias/a.plan")} is in use by this process. Nothing was sent.`,
  });
  expect(copies(sandbox)).toEqual(each(3));
});

test("a run sends nothing more once another process writes to its plan, and nothing is created twice", async () => {
  const { at, sandbox, client } = await planPeople();
  const { digest = "" } = /"digest":"(?<digest>\w+)"/.exec(readFileSync(at("a.plan"), "utf8"))?.groups ?? {};
  const line = `${factLine({ row: 3, try: 1 }, digest)}\n`;
  const stranger: typeof fetch = async (...request) => {
    if (request[1]?.method === "POST") appendFileSync(at("a.plan"), line);
    return sandbox.fetch(...request);
  };
  const held = new MainClient({ ...connection(sandbox), fetch: stranger });
  const error = await failure<BulkError>(apply(held, at("a.plan")));
  expect(error).toMatchObject({ reason: "stopped", message: expect.stringContaining("changed by another process") });
  expect(sandbox.calls("users.create")).toHaveLength(1);
  expect(readFileSync(at("a.plan"), "utf8").slice(-line.length)).toBe(line);
  expect(await apply(client, at("a.plan"))).toMatchObject({ created: 3, complete: true });
  expect(copies(sandbox)).toEqual(each(3));
});
