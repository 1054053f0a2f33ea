// The program that gets killed: it reads a list page by page, and writes each page's records and then its checkpoint to
// the disk before it reads the next page. After a restart it resumes from the last checkpoint.
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, truncateSync, writeSync } from "node:fs";
import { join } from "node:path";
import { argv } from "node:process";
import { MainClient } from "education-admin-sdk";

const [, , baseUrl = "", folder = "", prefetch = "1"] = argv;
const recordsFile = join(folder, "records.ndjson");
const checkpointFile = join(folder, "checkpoint.json");

function keep(file: string, text: string, flags: "a" | "w"): void {
  const descriptor = openSync(file, flags);
  writeSync(descriptor, text);
  fsyncSync(descriptor);
  closeSync(descriptor);
}

// Removes a line that the kill cut off. The checkpoint of its page was not written yet.
if (existsSync(recordsFile)) {
  const text = readFileSync(recordsFile, "utf8");
  truncateSync(recordsFile, text.lastIndexOf("\n") + 1);
}

const resume = existsSync(checkpointFile) ? readFileSync(checkpointFile, "utf8") : undefined;
const client = new MainClient({ baseUrl, apiKey: "token-of-the-crash-campaign" });
for await (const page of client.courseVariants.list({}, { resume, prefetch: Number(prefetch) }).byPage()) {
  keep(recordsFile, `${JSON.stringify(page.records.map((record) => record.id))}\n`, "a");
  keep(`${checkpointFile}.new`, page.checkpoint, "w");
  renameSync(`${checkpointFile}.new`, checkpointFile);
}
