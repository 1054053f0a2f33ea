import { lstat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { machineFiles, orNull } from "../work/place/node-files.js";
import { inputError } from "./node-arguments.js";
import { type Known, PERSONS, type PersonKind } from "./person.js";

const STATE = ".education-admin-sdk-erase";

/** Facts about a person that an interrupted call leaves for the next call. */
export interface State extends Known {
  readonly erase: 1;
  readonly kind: PersonKind;
  readonly id: number;
}

/** The path of the state file: in a folder, or beside a file. */
export async function statePath(path: string): Promise<string> {
  return join((await lstat(path)).isDirectory() ? path : dirname(path), STATE);
}

/**
 * Reads the state that an interrupted call left; null if there is none.
 * @throws InputError if a file of another program has the state file's name; it is left alone and not quoted.
 */
export async function readState(path: string): Promise<State | null> {
  const stats = await orNull(lstat(path));
  if (stats === null) return null;
  const state = stats.isFile() ? parseState((await machineFiles.read(path)) ?? "") : null;
  if (state) return state;
  throw inputError("in", `contains ${STATE}, which erase did not write: look at it and move it away`);
}

function parseState(text: string): State | null {
  try {
    const state = JSON.parse(text) as State;
    const lists = [state.records, state.emails, state.texts, state.values];
    const isOurs = state.erase === 1 && Object.hasOwn(PERSONS, state.kind) && Number.isSafeInteger(state.id);
    return isOurs && lists.flatMap((list) => [...list]).every((one) => typeof one === "string") ? state : null;
  } catch {
    return null;
  }
}
