import { expect, test } from "vitest";
import { run, rowsOf } from "../../src/bulk/node.js";
import { MainClient } from "../../src/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { testFolder } from "./support/folder.js";
test("x", async () => {
  for (const [res, rows, key] of [["accounts", Array.from({ length: 26 }, (_, i) => ({ name: `Firma ${i} AG` })), "name"],["users", Array.from({ length: 26 }, (_, i) => ({ email: `a${i}@x.example`, first_name: "A", last_name: "B"+i })), "email"]] as const) {
  const at = testFolder();
  const sandbox = createSandbox({ size: 60, skipWaits: true, manners: { created: "the newest record" } as never });
  const client = new MainClient(sandbox);
  for (let i = 0; i < 3; i++) {
    const r = await run((client as any)[res], rows as any, { to: at("a.plan"), key: key as any }).catch(e => e);
    console.log(res, i, r.message ?? { created: r.created, unknown: r.unknown, unchanged: r.unchanged, refused: r.refused, doubled: r.doubled, earlier: r.earlier, plan: r.plan });
    const n = r.plan ? r.plan : at("a.plan");
    for await (const x of rowsOf(n)) if (x.outcome !== "created" && x.outcome !== "unchanged") { console.log(x.row, x.outcome, x.id, x.ids, x.why[0]?.message, x.differs); break; }
  }
  console.log(sandbox.calls(`${res}.create` as never).length);
  }
});
