import { doctor, formatReport } from "../../doctor/index.js";
import { pluralize } from "../../work/pluralize.js";
import { type Connection, connection, helpBelow } from "../arguments.js";
import type { Command } from "../commander.js";
import { clientFor } from "../connection.js";
import { asUsage } from "../system-problem.js";
import { LiveLine } from "../tell/progress-line.js";
import { jsonText, type Terminal } from "../terminal.js";

interface Values extends Connection {
  readonly all?: true;
  readonly json?: true;
  readonly verbose?: true;
}

const DESCRIPTION =
  "Compares the service with what this library relies on, in at most 90 reads (180 with --all). The report names what differs or is new, the affected guide and what to do. It is safe to share: it contains no value of a record, no address and no key.";

const STATUS_HELP =
  "Exit status: 0 if nothing differs, even if something is new; 1 if something differs; 2 if no list could be read.";

/** `education-admin-sdk doctor` */
export function doctorCommand(command: Command, terminal: Terminal): void {
  command
    .description(DESCRIPTION)
    .option("--all", "also read the first page of every list that the checks do not need")
    .option("--json", "the report as JSON")
    .option("--verbose", "also list every check that confirmed its assumption");
  connection(helpBelow(command, () => STATUS_HELP)).action((values: Values) => run(values, terminal));
}

async function run(values: Values, terminal: Terminal): Promise<void> {
  const line = new LiveLine(terminal.stderr);
  let requests = 0;
  const response = () => line.show(`${pluralize(++requests, "response")} from the service`);
  const client = clientFor(terminal, values, { on: { response } });
  const report = await doctor(client, { all: values.all }).catch(asUsage);
  line.clear();
  terminal.stdout.write(values.json ? `${jsonText(report)}\n` : formatReport(report, values));
  const differing = report.findings.filter(({ status }) => status === "differs").length;
  if (differing > 0) throw new Error(`${pluralize(differing, "check")}: the service differs from the assumptions`);
}
