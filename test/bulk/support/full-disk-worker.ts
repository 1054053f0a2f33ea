// Plans and applies in a folder on a disk that it fills: node full-disk-worker.ts <folder>. Prints the result of each
// turn.
import { closeSync, ftruncateSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { MainClient } from "education-admin-sdk";
import { apply, plan } from "education-admin-sdk/bulk";
import { createSandbox } from "education-admin-sdk/sandbox";

const [folder = ""] = process.argv.slice(2);
const PAGE = 4096;
const filler = join(folder, "filler");
const rows = Array.from({ length: 100 }, (_, at) => ({
  email: `new-${at}@example.com`,
  first_name: "New",
  last_name: `Person ${at}`,
}));

/** Fills the disk until only `left` bytes are free. */
function fill(left: number): void {
  const file = openSync(filler, "w");
  let size = 0;
  try {
    for (;;) size += writeSync(file, Buffer.alloc(PAGE));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
  }
  ftruncateSync(file, Math.max(0, size - left));
  closeSync(file);
}

const messageOf = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: Error) => error.message,
  );

for (let left = 0; left <= 10 * PAGE; left += PAGE) {
  const path = join(folder, "a.plan");
  const sandbox = createSandbox({ size: "small", skipWaits: true });
  const client = new MainClient(sandbox);
  fill(left);
  const unplanned = await messageOf(plan(client.users, rows, { to: path, key: "email" }));
  rmSync(filler);
  await plan(client.users, rows, { to: path, key: "email" });
  fill(left);
  const stopped = await messageOf(apply(client, path));
  const sent = sandbox.calls("users.create").length;
  rmSync(filler);
  const { created, complete } = await apply(client, path);
  const emails = [...sandbox.store.users].map(({ email }) => email).filter((email) => email.startsWith("new-"));
  console.log(
    JSON.stringify({
      left,
      unplanned,
      stopped,
      sent,
      created,
      complete,
      users: emails.length,
      emails: new Set(emails).size,
    }),
  );
  rmSync(path);
}
