import { PassThrough } from "node:stream";
import { afterEach, expect, test, vi } from "vitest";
import { confirm } from "../../src/cli/question.js";
import { type Terminal, UsageError } from "../../src/cli/terminal.js";

afterEach(() => {
  vi.restoreAllMocks();
});

const QUESTION = { before: "Deletes it.\n", otherwise: "asks on a terminal" };

/** Types an answer to the question. Returns the answer or the refusal, and the text shown before it. */
async function answerTo(typed: string, isTTY = true): Promise<{ answer: string | true; read: string }> {
  const input = Object.assign(new PassThrough(), { isTTY });
  vi.spyOn(process, "stdin", "get").mockReturnValue(input as never);
  vi.spyOn(process.stderr, "write").mockReturnValue(true);
  input.end(typed);
  let read = "";
  const stderr = { isTTY: true, write: (text: string) => (read += text) };
  const answer = await confirm({ stderr } as unknown as Terminal, QUESTION).catch((error: unknown) =>
    error instanceof UsageError ? `refused: ${error.message}` : String(error),
  );
  return { answer, read };
}

test.each([
  ["Yes \n", true, { answer: true, read: "Deletes it.\n" }],
  ["y\n", true, { answer: "refused: Nothing was sent", read: "Deletes it.\n" }],
  ["\n", true, { answer: "refused: Nothing was sent", read: "Deletes it.\n" }],
  ["", true, { answer: "refused: Nothing was sent", read: "Deletes it.\n" }],
  ["yes\n", false, { answer: "refused: asks on a terminal", read: "" }],
])("only a yes typed at a terminal is one: %j, %s", async (typed, isTTY, expected) => {
  expect(await answerTo(typed, isTTY)).toEqual(expected);
});
