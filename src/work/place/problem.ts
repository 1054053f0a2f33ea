// System errors that prevent writing a file.
const PROBLEMS: Readonly<Record<string, readonly [what: string, remedy: string]>> = {
  ENOSPC: ["the disk is full", "make room"],
  EDQUOT: ["the disk quota is used up", "make room"],
  EFBIG: ["the file would be larger than permitted", "raise the limit"],
  EROFS: ["the disk is read-only", "fix that"],
};

/** Why a file could not be written, and a remedy; null if the disk is not the reason. */
export function diskProblem(error: unknown): { readonly what: string; readonly remedy: string } | null {
  const [what, remedy] = PROBLEMS[String((error as { readonly code?: unknown } | null)?.code)] ?? [];
  return what === undefined || remedy === undefined ? null : { what, remedy };
}

/**
 * Explains a disk error.
 * @param kept the state of the file: `An existing file is unchanged`.
 * @param next the action after the remedy: `try again`.
 * @returns other errors unchanged.
 */
export function writeError(path: string, error: unknown, kept: string, next: string): unknown {
  const problem = diskProblem(error);
  if (problem === null) return error;
  const message = `${path} could not be written: ${problem.what}. ${kept}: ${problem.remedy}, then ${next}.`;
  const { code } = error as NodeJS.ErrnoException;
  return Object.assign(new Error(message, { cause: error }), { code });
}
