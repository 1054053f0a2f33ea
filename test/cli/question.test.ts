import { PassThrough } from "node:stream";
import { afterEach, expect, test, vi } from "vitest";
import { ask } from "../../src/cli/question.js";
import { type Terminal, UsageError } from "../../src/cli/terminal.js";

afterEach(() => {
  vi.restoreAllMocks();
});

const QUESTION = { before: "Deletes it.\n", question: "Go on? ", otherwise: "asks on a terminal" };

/** Types an answer to the question. Returns the answer or the refusal, and the text shown before it. */
async function answerTo(typed: string, isTTY = true): Promise<{ answer: string; read: string }> {
  const input = Object.assign(new PassThrough(), { isTTY });
  vi.spyOn(process, "stdin", "get").mockReturnValue(input as never);
  vi.spyOn(process.stderr, "write").mockReturnValue(true);
  input.end(typed);
  let read = "";
  const stderr = { isTTY: true, write: (text: string) => (read += text) };
  const answer = await ask({ stderr } as unknown as Terminal, QUESTION).catch((error: unknown) =>
    error instanceof UsageError ? `refused: ${error.message}` : String(error),
  );
  return { answer, read };
}

test.each([
  ["yes \n", true, { answer: "yes", read: "Deletes it.\n" }],
  ["\n", true, { answer: "", read: "Deletes it.\n" }],
  ["", true, { answer: "refused: Nothing was sent", read: "Deletes it.\n" }],
  ["yes\n", false, { answer: "refused: asks on a terminal", read: "" }],
])("the answer is read only from a terminal, and not if the input ends: %j, %s", async (typed, isTTY, expected) => {
  expect(await answerTo(typed, isTTY)).toEqual(expected);
});
