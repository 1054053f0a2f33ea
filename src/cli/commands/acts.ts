import {
  type ActOptions,
  type AttendanceLists,
  credit,
  type Enrolling,
  enroll,
  markAttendance,
  recordPayment,
  reschedule,
} from "../../acts/node.js";
import type { MainClient } from "../../clients/main.js";
import { AttendanceState } from "../../resources/planning/attendances.js";
import { anyWholeNumber, type Connection, names, positiveNumber, schoolOptions } from "../arguments.js";
import { type Command, InvalidArgumentError, Option } from "../commander.js";
import { clientFor } from "../connection.js";
import { interruptible } from "../interrupt.js";
import { confirm } from "../question.js";
import { checkMark, jsonText, type Terminal, UsageError } from "../terminal.js";

interface Values extends Connection {
  readonly yes?: true;
  readonly marks?: string;
}

const AGAIN =
  "If the command is interrupted, start it again with the same arguments: nothing is carried out twice. It may first wait for a minute.";
const AGAIN_ATTENDANCE = "If the command is interrupted, start it again: it writes only what differs.";

const MARKS = [
  "--marks <folder>",
  "the folder for the files from which an interrupted command continues (default: .)",
] as const;

/** `education-admin-sdk enroll 7 12 15 --account 3` */
export function enrollCommand(command: Command, terminal: Terminal): void {
  command
    .argument("<planned-course>", "the identifier of the planned course", positiveNumber)
    .argument("<person...>", "identifiers or e-mail addresses of existing users")
    .option("--account <id>", "the account that pays for all (default: each person's own)", positiveNumber)
    .option("--waiting", "do not approve the orders")
    .option(...MARKS);
  acting<{ account?: number; waiting?: true }>(
    command,
    terminal,
    "Enrolls people in a planned course.",
    async (client, options, { account, waiting }, [plannedCourse, given]) => {
      const people: number[] = [];
      for (const person of (given as string[]).map(personIn))
        people.push(typeof person === "number" ? person : await idOf(client, person));
      const enrolling: Enrolling = { plannedCourse: plannedCourse as number, account, people, approve: !waiting };
      const enrolled = await enroll(client, enrolling, options);
      return { result: enrolled, isWhole: enrolled.every(({ outcome }) => /enrolled|waiting/.test(outcome)) };
    },
  );
}

/** `education-admin-sdk reschedule 7 --weeks 2` */
export function rescheduleCommand(command: Command, terminal: Terminal): void {
  command
    .argument("<planned-course>", "the identifier of the planned course", positiveNumber)
    .option("--to <day>", "the new first day, such as 2030-03-04")
    .option("--days <number>", "days to move by; --days=-3 moves back", anyWholeNumber)
    .option("--weeks <number>", "weeks to move by", anyWholeNumber)
    .option("--months <number>", "months to move by", anyWholeNumber)
    .option("--allow-conflicts", "with --yes: move although a teacher or a room is planned elsewhere at that time")
    .option("--again", "repeat a move that was already carried out")
    .option(...MARKS);
  type Move = { to?: string; days?: number; weeks?: number; months?: number; allowConflicts?: true; again?: true };
  acting<Move>(
    command,
    terminal,
    "Moves a planned course with its meetings, which keep their local time of day.",
    async (client, options, { to, days, weeks, months, ...more }, [plannedCourse]) => {
      const by = { days, weeks, months };
      const isBy = Object.values(by).some((one) => one !== undefined);
      if ((to !== undefined) === isBy) throw new UsageError("Give --to, or one of --days, --weeks and --months");
      const { allowConflicts, again } = more;
      const moved = await reschedule(
        client,
        plannedCourse as number,
        { ...(to === undefined ? { by } : { to }), allowConflicts, again },
        options,
      );
      return { result: moved, isWhole: moved.complete };
    },
  );
}

/** `education-admin-sdk credit 2041 --amount 10.00` */
export function creditCommand(command: Command, terminal: Terminal): void {
  command
    .argument("<invoice>", "the identifier of the invoice", positiveNumber)
    .option("--item <id=units>", "an item with the units to credit, such as 7=2, or 7 for all; can be repeated", item)
    .option("--amount <amount>", "an amount without VAT, such as 10.00")
    .option("--reference <text>", "distinguishes this credit from an equal one of the same invoice")
    .option(...MARKS);
  acting<{ item?: Item[]; amount?: string; reference?: string }>(
    command,
    terminal,
    "Credits an invoice, whole or in part.",
    async (client, options, { item: items, amount, reference }, [invoice]) => {
      const credited = await credit(client, invoice as number, { items, amount, reference }, options);
      return { result: credited, isWhole: credited.credit !== null };
    },
  );
}

/** `education-admin-sdk pay 2041 12.50 2030-06-30 --reference "transfer 88"` */
export function payCommand(command: Command, terminal: Terminal): void {
  command
    .argument("<invoice>", "the identifier of the invoice", positiveNumber)
    .argument("<amount>", "such as 12.50")
    .argument("<day>", "the day of the payment, such as 2030-06-30")
    .requiredOption(
      "--reference <text>",
      "distinguishes this payment from an equal one; for example, the bank's identifier of the transfer (required)",
    )
    .option(...MARKS);
  acting<{ reference: string }>(
    command,
    terminal,
    "Records a payment of an invoice, once per reference.",
    async (client, options, { reference }, [invoice, amount, date]) => {
      const paid = await recordPayment(
        client,
        invoice as number,
        { amount: amount as string, date: date as string, reference },
        options,
      );
      return { result: paid, isWhole: paid.payment !== null && paid.others.length === 0 };
    },
  );
}

/** `education-admin-sdk attendance 12 --late 7 --others attended` */
export function attendanceCommand(command: Command, terminal: Terminal): void {
  command.argument("<meeting>", "the identifier of the meeting", positiveNumber);
  for (const list of ["present", "absent", "late", "excused"])
    command.option(`--${list} <person,…>`, "students by identifier or e-mail address", (text) =>
      names(text).map(personIn),
    );
  command.addOption(
    new Option("--others <state>", "the state of all other students (default: they keep theirs)").choices(
      AttendanceState.values,
    ),
  );
  acting<AttendanceLists>(
    command,
    terminal,
    "Marks who was at a meeting.",
    async (client, options, lists, [meeting]) => {
      const { present, absent, late, excused, others } = lists;
      const { confirm, signal } = options;
      const given = { present, absent, late, excused, others };
      return { result: await markAttendance(client, meeting as number, given, { confirm, signal }), isWhole: true };
    },
    AGAIN_ATTENDANCE,
  );
}

type Work<More> = (
  client: MainClient,
  options: ActOptions,
  values: More,
  args: readonly unknown[],
) => Promise<{ readonly result: unknown; readonly isWhole: boolean }>;

function acting<More>(
  command: Command,
  terminal: Terminal,
  description: string,
  work: Work<More>,
  again: string = AGAIN,
): void {
  command
    .description(`${description} Shows the steps and asks first, unless --yes is given. ${again}`)
    .option("--yes", "do not ask");
  schoolOptions(command).action(async (...given: unknown[]) => {
    const [values, args] = [given.at(-2) as Values & More, given.slice(0, -2)];
    let isSent = false;
    const request = ({ method }: { readonly method: string }) => {
      isSent ||= method !== "GET";
    };
    const client = clientFor(terminal, values, { readOnly: false, on: { request } }) as MainClient;
    const ask = async (steps: readonly string[]) => {
      const before = `At ${client.baseUrl}:\n${steps.map((step) => `- ${step}\n`).join("")}`;
      const otherwise = `${before}There is no terminal to ask on. Nothing was sent. Add --yes`;
      return steps.length === 0 || confirm(terminal, { before, otherwise });
    };
    const { result, isWhole } = await interruptible(
      terminal,
      "Interrupted: the same command continues from here",
      (signal) => work(client, { marks: values.marks, signal, ...(!values.yes && { confirm: ask }) }, values, args),
    );
    terminal.stdout.write(`${jsonText(result)}\n`);
    if (!isWhole) throw new Error("Not everything was carried out: see above");
    terminal.stderr.write(
      isSent
        ? `${checkMark(terminal)}${command.name()}: done\n`
        : "Nothing was sent: everything had already been done\n",
    );
  });
}

interface Item {
  readonly id: number;
  readonly units?: number;
}

function item(text: string, before: readonly Item[] = []): readonly Item[] {
  const [, id, units] = /^([1-9]\d*)(?:=(\d+(?:\.\d+)?))?$/.exec(text) ?? [];
  if (id === undefined) throw new InvalidArgumentError("must be an item and units, such as 7=2");
  return [...before, { id: Number(id), ...(units !== undefined && { units: Number(units) }) }];
}

function personIn(text: string): number | string {
  return /^\d+$/.test(text) ? Number(text) : text;
}

async function idOf(client: MainClient, email: string): Promise<number> {
  const found = await client.users.lookup("email").get(email);
  if (!found) throw new UsageError(`No user has the e-mail address ${email}`);
  return found.id;
}
