import { expect, test } from "vitest";
import { assistantTools } from "../../src/assistant/index.js";
import { MainClient } from "../../src/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { options } from "../support/clients.js";
import { isAnswered, questionsOf, schoolOf } from "./support/administrator.js";

const sandbox = createSandbox({ size: process.env.TEST_SHARE === "1" ? "medium" : "small", rateLimit: false });
const client = new MainClient({ ...options(), ...sandbox, fetch: sandbox.fetch, clock: sandbox.clock });
const school = await schoolOf(client, sandbox.clock.now());

test.each(questionsOf(school))("$question", async (question) => {
  const tools = assistantTools(client, { show: ["names", "contact"] });
  const ask = async (name: string, input: object) => tools.find((tool) => tool.name === name)?.execute(input);
  expect(await isAnswered(question, school, ask)).toBe(true);
});
