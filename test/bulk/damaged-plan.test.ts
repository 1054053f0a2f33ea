import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { apply, plan, run } from "../../src/bulk/node.js";
import { failure } from "../support/manual-clock.js";
import { testFolder } from "./support/folder.js";
import { copies, each, people, renaming, school } from "./support/school.js";

const LOOK = ": look in the service for the records of its rows, then move it away. Nothing was sent.";

const WRONG = [
  ["is not a complete plan", (lines: string[]) => lines.slice(0, 2)],
  ["is not a complete plan", () => []],
  ["is not a plan of this version", (lines: string[]) => lines.slice(1)],
  ["is not a plan", (lines: string[]) => ["{", ...lines]],
  ["was changed after it was made", (lines: string[]) => lines.map((line) => line.replace("Person 1", "Person X"))],
  ["contains a line that no run wrote", (lines: string[]) => [...lines, '{"row":1,"done":"created"}']],
] as const;

/** Runs a create whose outcome stays unknown, and damages the plan that the next run must read without a memory. */
async function keepDamaged(damage: (lines: string[]) => readonly string[]) {
  const at = testFolder();
  const { sandbox, client } = school();
  const odd = renaming(sandbox);
  const options = { to: at("a.plan"), key: "email" } as const;
  await run(odd.users, people(1), options);
  const { plan: open } = await run(odd.users, people(1), options);
  rmSync(at("a.plan.memory"));
  const lines = readFileSync(open, "utf8").split("\n").slice(0, -1);
  const damaged = damage(lines).map((line) => `${line}\n`);
  writeFileSync(open, damaged.join(""));
  return { sandbox, client, options, open };
}

test.each(WRONG)(
  "the error about a kept plan that %s says to look for its records, then to move the file away (%#)",
  async (what, damage) => {
    const { sandbox, client, options, open } = await keepDamaged(damage);
    const error = await failure(run(client.users, people(1), options));
    expect(error.message).toBe(`${open} ${what}${LOOK}`);
    expect(String(error.stack)).not.toContain("new-1");
    expect(copies(sandbox)).toEqual({});
  },
);

test("a damaged plan that has sent nothing is replaced; otherwise the error says to look for its records", async () => {
  const at = testFolder();
  const { sandbox, client } = school();
  const options = { to: at("a.plan"), key: "email" } as const;
  await plan(client.users, people(2), options);
  const text = readFileSync(at("a.plan"), "utf8");
  const refusal = async (damaged: string) => {
    writeFileSync(at("a.plan"), damaged);
    return (await failure(apply(client, at("a.plan")))).message.replace(`${at("a.plan")} `, "");
  };
  const headless = text.slice(text.indexOf("\n") + 1);
  expect(await refusal(text.slice(0, 200))).toBe("is not a complete plan; plan the rows again. Nothing was sent.");
  expect(await refusal(text.replace("Person 1", "X"))).toBe(
    "was changed after it was made; plan the rows again. Nothing was sent.",
  );
  expect(await refusal(headless)).toBe(
    "is not a plan of this version; use another plan, or the version that made this one. Nothing was sent.",
  );
  expect(sandbox.calls("users.create")).toEqual([]);
  writeFileSync(at("a.plan"), text);
  await apply(client, at("a.plan"));
  const sent = readFileSync(at("a.plan"), "utf8");
  expect(await refusal(sent.replace("Person 1", "X"))).toBe(`was changed after it was made${LOOK}`);
  expect(await refusal(sent.slice(sent.indexOf("\n") + 1))).toBe(`is not a plan of this version${LOOK}`);
});

test("a row is not created again if the kept plan has lost the lines with its outcome", async () => {
  const untilEnd = (lines: string[]) => lines.slice(0, lines.findIndex((line) => line.startsWith('{"end"')) + 1);
  const { sandbox, client, options } = await keepDamaged(untilEnd);
  expect(await run(client.users, people(1), options)).toMatchObject({ created: 0, refused: 1 });
  expect(copies(sandbox)).toEqual({});
});

test("a damaged plan of a complete run does not stop the next run", async () => {
  const { sandbox, client } = school();
  const options = { to: testFolder()("a.plan"), key: "email" } as const;
  const { plan: ended } = await run(client.users, people(2), options);
  writeFileSync(ended, readFileSync(ended, "utf8").replace("Person 1", "Person X"));
  expect(await run(client.users, people(3), options)).toMatchObject({ created: 1, unchanged: 2 });
  expect(copies(sandbox)).toEqual(each(3));
});
