import { inspect } from "node:util";
import { describe, expect, test } from "vitest";

// esbuild renames a class that refers to itself to a name such as `_Pages`, which Node and error trackers would print.
describe.each(["dist", "dist/node"])("the classes in %s", (folder) => {
  const load = (entry: string): Promise<Record<string, unknown>> =>
    import(new URL(`../../${folder}/${entry}.js`, import.meta.url).href);

  // Only the build for Node contains the bulk entry.
  const entries = ["index", "operations", "webhooks/index", ...(folder === "dist/node" ? ["bulk/node"] : [])];
  test.each(entries)("in %s have capitalized names", async (entry) => {
    const classes = Object.entries(await load(entry)).filter(([, value]) => /^class\b/.test(String(value)));
    expect(classes.length).toBeGreaterThan(0);
    expect(classes.map(([, value]) => (value as { name: string }).name).filter((name) => !/^[A-Z]/.test(name))).toEqual(
      [],
    );
  });

  test("give lists and errors their names when printed", async () => {
    const { MainClient, NotFoundError } = (await load("index")) as typeof import("../../src/index.js");
    const list = new MainClient({ baseUrl: "https://school.example", apiKey: "k" }).accounts.list();
    expect([list.constructor.name, inspect(list)]).toEqual([
      "Pages",
      expect.stringMatching(/^Pages \{ <accounts\.list: /),
    ]);
    expect(list.take(1).constructor.name).toMatch(/^[A-Z]/);
    expect(Object.getPrototypeOf(Object.getPrototypeOf(NotFoundError)).name).toBe("EducationAdminError");
  });
});
