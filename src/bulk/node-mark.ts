import { resolve } from "node:path";
import { systemClock } from "../core/clock.js";
import { machineFiles } from "../work/place/node-files.js";
import { FileLock } from "../work/place/node-lock.js";
import { checkedTarget } from "../work/place/node-target.js";
import { writeWhole } from "../work/place/node-whole.js";
import { BulkError } from "./errors.js";
import { openJournal } from "./node-journal.js";
import type { BulkJournal } from "./types.js";

/** A short text that survives the process, in a file or a database journal; only this process may change it. */
export interface Mark {
  read(): Promise<string | null>;
  write(text: string): Promise<void>;
  remove(): Promise<void>;
  /** Keeps the right to change the text while nothing is written. */
  renew(): Promise<void>;
  close(): Promise<void>;
}

/** @throws BulkError `in_use` while another call or process uses the mark. */
export async function openMark(at: string | BulkJournal, who: string): Promise<Mark> {
  if (typeof at !== "string") return journalMark(at);
  const { path } = await checkedTarget(resolve(at), ".lock");
  const lock = await FileLock.of(path, machineFiles);
  if (typeof lock === "string")
    throw new BulkError("in_use", `${who}: ${lock} is creating this record. Try again when it has ended.`);
  return {
    read: () => machineFiles.read(path),
    write: (text) => writeWhole(path, text),
    remove: () => machineFiles.remove(path),
    renew: async () => undefined,
    close: () => lock.release(),
  };
}

async function journalMark(at: BulkJournal): Promise<Mark> {
  const journal = await openJournal(at, false, systemClock, machineFiles);
  const write = (mark: string | null) => journal.append(JSON.stringify({ mark }));
  return {
    async read() {
      let last = "{}";
      for await (const line of at.lines()) last = line;
      return (JSON.parse(last) as { readonly mark?: string | null }).mark ?? null;
    },
    write,
    remove: () => write(null),
    renew: () => journal.renew(),
    close: () => journal.close(),
  };
}
