// Node and Bun run this file as it is; it fails when an answer ends it, hangs or leaks.
import { MainClient } from "education-admin-sdk";
import { hostileAnswers } from "./hostile-answers.mjs";

const { kinds, wrong } = await hostileAnswers(MainClient);
console.log(`${kinds} kinds of answers, ${wrong.length} wrong\n${wrong.join("\n")}`);
if (wrong.length > 0 || kinds < 200) process.exitCode = 1;
