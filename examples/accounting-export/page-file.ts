import { open, readFile, rename, rm, writeFile } from "node:fs/promises";

/** A file that is written page by page and survives a kill at any moment. */
export interface PageFile {
  /** The checkpoint of the last whole page, or undefined when there is none. */
  readonly resume: string | undefined;
  /** Bytes written so far. */
  readonly size: number;
  /** Adds one page together with its checkpoint. */
  append(text: string, checkpoint: string): Promise<void>;
  /** Begins again. The pages written so far stay on the disk until the first new page arrives. */
  restart(): void;
  /** Gives the file its name. */
  finish(): Promise<void>;
}

/**
 * Opens a file that grows in `<path>.part`. `<path>.state` records the last checkpoint and the size of the file at that
 * moment; bytes after that size come from a page that was not completed, and are cut off before the next page.
 */
export async function openPageFile(path: string): Promise<PageFile> {
  const [part, state] = [`${path}.part`, `${path}.state`];
  const file = await open(part, "a");
  const saved = await readFile(state, "utf8").then(readState, (error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw error;
  });
  // A file shorter than its state says was damaged from outside.
  const usable = saved !== null && (await file.stat()).size >= saved.size;
  let resume = usable ? saved.checkpoint : undefined;
  let size = usable ? saved.size : 0;
  return {
    get resume() {
      return resume;
    },
    get size() {
      return size;
    },
    async append(text, checkpoint) {
      await file.truncate(size);
      await file.appendFile(text);
      await file.sync();
      size += Buffer.byteLength(text);
      resume = checkpoint;
      // Renaming replaces the state at once: it always describes a whole page.
      await writeFile(`${state}.new`, JSON.stringify({ checkpoint, size }), { flush: true });
      await rename(`${state}.new`, state);
    },
    restart() {
      resume = undefined;
      size = 0;
    },
    async finish() {
      await file.truncate(size);
      await file.close();
      await rename(part, path);
      await rm(state, { force: true });
    },
  };
}

// Null for a state that was damaged from outside: then the list is read from the start.
function readState(text: string): { checkpoint: string; size: number } | null {
  try {
    const { checkpoint, size } = JSON.parse(text);
    return typeof checkpoint === "string" && Number.isSafeInteger(size) ? { checkpoint, size } : null;
  } catch {
    return null;
  }
}
