// Solves 40 tasks by script and tries 150 and more wrong solutions, which must fail: npm run evals.
// With EVALS_API_KEY and EVALS_MODEL a model solves them, too; that is reported and decides nothing.
import { modelFrom, solvedBy } from "./model.ts";
import { mutantsOf, watched } from "./mutants.ts";
import { School, TASKS } from "./run.ts";
import type { Reason, Task } from "./task.ts";

/** What became of a task's solution and of its wrong ones. */
export interface Judged {
  readonly task: Task;
  /** Why its solution is wrong; nothing when it is right. */
  readonly reasons: readonly Reason[];
  /** Wrong solutions, and those of them that passed. */
  readonly mutants: number;
  readonly unnoticed: readonly string[];
}

/** Tries the solution of a task, and the wrong ones. */
export async function judged(school: School, task: Task): Promise<Judged> {
  const { trace, solve } = watched(task);
  const reasons = await school.try(task, solve);
  const mutants = mutantsOf(task, trace);
  const unnoticed: string[] = [];
  for (const mutant of mutants) {
    const found = await school.try(task, mutant.solve);
    if (!found.includes(mutant.expected)) {
      unnoticed.push(`${mutant.name}: expected ${mutant.expected}, found ${found.join(", ") || "nothing"}`);
    }
  }
  return { task, reasons, mutants: mutants.length, unnoticed };
}

if (import.meta.main) {
  const school = new School();
  let [solved, tried, passed] = [0, 0, 0];
  for (const task of TASKS) {
    const { reasons, mutants, unnoticed } = await judged(school, task);
    if (reasons.length === 0) solved++;
    tried += mutants;
    passed += unnoticed.length;
    console.log(
      `${reasons.length === 0 ? "solved" : `WRONG (${reasons.join(", ")})`}  ${task.name}, ${mutants} wrong solutions`,
    );
    for (const each of unnoticed) console.log(`  NOT NOTICED  ${each}`);
  }
  console.log(`\n${solved} of ${TASKS.length} solved; ${tried - passed} of ${tried} wrong solutions fail`);
  if (solved < TASKS.length || passed > 0) process.exitCode = 1;

  const model = modelFrom(process.env);
  if (!model)
    console.log("No model was asked: set EVALS_API_KEY and EVALS_MODEL, and EVALS_URL unless it is OpenAI's.");
  else {
    const given = TASKS.filter(({ by }) => by === "tools");
    let right = 0;
    for (const task of given) {
      const reasons = await solvedBy(school, task, model).catch((error: unknown) => [String(error)]);
      if (reasons.length === 0) right++;
      console.log(`${model.name}: ${reasons.length === 0 ? "solved" : `wrong (${reasons.join(", ")})`}  ${task.name}`);
    }
    console.log(`${model.name}: ${right} of ${given.length}`);
  }
}
