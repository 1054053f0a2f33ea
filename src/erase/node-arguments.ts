import { resolve } from "node:path";
import { InputError } from "../core/errors.js";
import { acceptAny, flag, must, type OptionTable, readOptions } from "../core/option-checks.js";
import { checkDatabase, type MirrorDatabase } from "../mirror/database.js";
import { PERSONS, type PersonKind } from "./person.js";

/** The person to erase: the identifier of a user, an account, a lead or a contact. */
export type PersonToErase =
  | { readonly user: number }
  | { readonly account: number }
  | { readonly lead: number }
  | { readonly contact: number };

/** Options of `erase`. */
export interface EraseOptions {
  /** The folders, with their subfolders, or files to search. Links are reported, but not followed. */
  readonly in: string | readonly string[];
  /**
   * E-mail addresses of the person, by which rows without an identifier are recognized. Default: those in the person's
   * own record, if these places contain it; without any address, `complete` is false.
   */
  readonly emails?: readonly string[] | undefined;
  /**
   * Databases of mirrors, inboxes and journals other than SQLite files: `postgres(pool)` of `./mirror`. Default none.
   */
  readonly databases?: readonly MirrorDatabase[] | undefined;
  /** True to take out what was found. Default false: nothing is changed. */
  readonly write?: boolean | undefined;
  /**
   * True to also take out what is still in use: rows of unfinished plans, waiting deliveries, and files that an
   * interrupted program left behind. Default false: they are reported and stay.
   */
  readonly unfinished?: boolean | undefined;
}

const OPTIONS = {
  in: [acceptAny<EraseOptions["in"]>],
  emails: [
    /* @__PURE__ */ must<readonly string[]>(
      (given) => Array.isArray(given) && given.every((one) => /^\s*[^\s@]+@[^\s@]+\s*$/.test(one)),
      "must be a list of e-mail addresses",
    ),
    [],
  ],
  databases: [/* @__PURE__ */ must<readonly MirrorDatabase[]>(Array.isArray, "must be a list of databases"), []],
  write: [flag, false],
  unfinished: [flag, false],
} satisfies OptionTable<EraseOptions>;

/** @throws InputError if an argument is invalid. */
export function checkArguments(person: PersonToErase, options: EraseOptions) {
  const { in: given, ...others } = readOptions(options, OPTIONS, inputError);
  const [[kind = "", id] = [], ...more] = Object.entries(person ?? {});
  if (more.length > 0 || !Object.hasOwn(PERSONS, kind) || !(Number.isSafeInteger(id) && Number(id) > 0))
    throw inputError(
      "person",
      `must be one of ${Object.keys(PERSONS).join(", ")} with an identifier, such as { user: 41 }`,
    );
  const places = [given].flat().map((path) => (typeof path === "string" && path !== "" ? resolve(path) : null));
  if (places.length === 0 || places.includes(null))
    throw inputError("in", "must name a folder or a file, or a list of them");
  for (const database of others.databases) checkDatabase(database);
  return { ...others, kind: kind as PersonKind, id: Number(id), places: places as string[] };
}

export function inputError(path: string, message: string): InputError {
  return new InputError(`erase: ${path} ${message}.`, [{ path, message }]);
}
