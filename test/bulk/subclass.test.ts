import { expect, test } from "vitest";
import { plan } from "../../src/bulk/node.js";
import { Users } from "../../src/index.js";
import { Transport } from "../../src/operations.js";
import { testFolder } from "./support/folder.js";
import { connection, people, school } from "./support/school.js";

test("a resource of a derived class is planned without running members that the class adds or overrides", async () => {
  const at = testFolder();
  const { sandbox } = school();
  const ran: string[] = [];
  class CustomUsers extends Users {
    constructor(transport: ConstructorParameters<typeof Users>[0]) {
      super(transport);
      ran.push("constructor");
    }
    removeAll(): void {
      ran.push("removeAll");
    }
    override create(...args: Parameters<Users["create"]>): ReturnType<Users["create"]> {
      ran.push("create");
      return super.create(...args);
    }
  }
  const users = new CustomUsers(new Transport(connection(sandbox)));
  expect(await plan(users, people(2), { to: at("a.plan"), key: "email" })).toMatchObject({ create: 2 });
  expect(ran).toEqual(["constructor"]);
});
