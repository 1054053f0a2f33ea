import { expect, test } from "vitest";
import { apply, plan } from "../../src/bulk/node.js";
import { MainClient } from "../../src/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { testFolder } from "./support/folder.js";
import { connection, copies, each, people } from "./support/school.js";

/** A plan of creates in a school whose list of users has seven pages and cannot be filtered by this key. */
async function planPeople(count: number) {
  const at = testFolder();
  const sandbox = createSandbox({ size: 650, skipWaits: true });
  const key = ["email", "first_name"] as const;
  await plan(new MainClient(sandbox).users, people(count), { to: at("a.plan"), key });
  const asked: URL[] = [];
  const run = async (change: (url: URL, nth: number) => Response | null = () => null) => {
    asked.length = 0;
    const fetch: typeof sandbox.fetch = async (input, init) => {
      const url = new URL(String(input));
      const isList = (init?.method ?? "GET") === "GET" && url.pathname.endsWith("/users");
      return (isList && change(url, asked.push(url))) || sandbox.fetch(input, init);
    };
    return apply(new MainClient({ ...connection(sandbox), fetch, retry: { limit: 2 } }), at("a.plan"));
  };
  return { sandbox, run, asked };
}
const refusal = () => Response.json({ errors: {}, code: 404, message: "The cursor has expired" }, { status: 404 });

test("a look begins one page before the last page that the plan has read", async () => {
  const { sandbox, run, asked } = await planPeople(5);
  expect(await run()).toMatchObject({ created: 5, complete: true });
  // Each of the three looks reads the last two pages.
  expect(asked).toHaveLength(6);
  expect(copies(sandbox)).toEqual(each(5));
});

test("if the service no longer knows the cursor, this look and all later ones read the whole list", async () => {
  const { sandbox, run, asked } = await planPeople(5);
  expect(await run((_, nth) => (nth === 1 ? refusal() : null))).toMatchObject({ created: 5, complete: true });
  expect(asked).toHaveLength(1 + 7 + 7 + 7);
  expect(copies(sandbox)).toEqual(each(5));
});

test("if the end of the list shows nothing that the plan has seen, the whole list is read", async () => {
  const { sandbox, run, asked } = await planPeople(5);
  expect(await run((_, nth) => (nth === 1 ? Response.json([]) : null))).toMatchObject({ created: 5, complete: true });
  expect(asked).toHaveLength(1 + 7 + 2 + 2);
  expect(copies(sandbox)).toEqual(each(5));
});
