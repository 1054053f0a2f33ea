// Node and Bun run this file unchanged. It fails if a response ends the process, hangs or leaks.
import { MainClient } from "education-admin-sdk";
import { hostileAnswers } from "./hostile-answers.mjs";

const { kinds, wrong } = await hostileAnswers(MainClient);
console.log(`${kinds} kinds of answers, ${wrong.length} wrong\n${wrong.join("\n")}`);
if (wrong.length > 0 || kinds < 200) process.exitCode = 1;
