import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { install } from "../../scripts/lib/install.ts";

interface Said {
  readonly way: string;
  readonly what: "page" | "a page within" | "list" | "client" | "call";
  /** The number of users in the output. */
  readonly users: number;
  /** True if the output contains the key. */
  readonly key: boolean;
  readonly refused: string | null;
  /** The requests sent during serialization. */
  readonly requests: number;
}

install(import.meta.dirname);
const program = ["--conditions=react-server", "hand-out.mjs"];
const printed = execFileSync(process.execPath, program, { cwd: import.meta.dirname, encoding: "utf8" });
const table = printed
  .trim()
  .split("\n")
  .map((line): Said => JSON.parse(line));

describe("the output of a framework", () => {
  test.each(table.filter(({ what }) => /page/.test(what)))(
    "contains the records of $what, by $way, without a request",
    (said) => {
      expect(said).toMatchObject({ users: 10, key: false, refused: null, requests: 0 });
    },
  );

  test.each(table.filter(({ what }) => what === "list"))(
    "contains the first page of $what, by $way, or the framework refuses it",
    (said) => {
      if (said.refused === null) expect(said).toMatchObject({ users: 10, requests: 1 });
      else expect(said).toMatchObject({ refused: expect.stringMatching(/^.{15,}/), requests: 0 });
    },
  );

  test.each(table.filter(({ what }) => what === "call"))(
    "contains the data of $what, by $way, or the framework refuses it",
    (said) => {
      if (said.refused === null) expect(said).toMatchObject({ users: 1, requests: 1 });
      else expect(said.refused).toMatch(/could not be cloned|A call holds no data yet/);
    },
  );

  test.each(table.filter(({ what }) => what === "client"))(
    "contains no key and no user of $what, by $way, without a request",
    (said) => {
      expect(said).toMatchObject({ users: 0, key: false, requests: 0 });
    },
  );

  test("is tested in every combination", () => {
    expect(table).toHaveLength(13 * 5);
  });
});
