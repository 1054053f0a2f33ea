import { buildRequest } from "../../core/call/build-request.js";
import { EducationAdminError } from "../../core/errors.js";
import type { Observers } from "../../core/events.js";
import { isPlainObject } from "../../core/json.js";
import { placeholders } from "../../core/operation.js";
import { fieldsOf, requiredFields, type Schema, traitsOf, unwrap } from "../../core/schema/traits.js";
import { valueOfText } from "../../work/fields/text.js";
import type { DescribeCommand } from "../arguments.js";
import { Argument } from "../commander.js";
import { argumentsFor, clientFor, methodIn, paramsOf } from "../connection.js";
import { onInterrupt } from "../interrupt.js";
import { type Asked, operationCommand } from "../operation-command.js";
import { ACTIONS, CREATES, kebab, LISTS, type OperationChoice, RECORDS, UPDATES } from "../operations.js";
import { confirm } from "../question.js";
import { textIn } from "../system-problem.js";
import { checkMark, jsonText, type Terminal, UsageError } from "../terminal.js";
import { describeConcerned } from "./describe-concerned.js";

interface Values {
  readonly data?: string;
  readonly yes?: true;
}

/** `education-admin-sdk create leads title="Open day" quality=hot` */
export const createCommand: DescribeCommand = /* @__PURE__ */ writing(
  "Creates one record and prints it. A create that may have been carried out is never sent again.",
  () => CREATES,
);
/** `education-admin-sdk update accounts 7 name="Example Ltd"` */
export const updateCommand: DescribeCommand = /* @__PURE__ */ writing(
  "Changes fields of one record and prints it. Other fields are not sent. After a failure, the request may be sent again, which changes nothing more.",
  () => UPDATES,
);
/** `education-admin-sdk do invoices.open 7` */
export const doCommand: DescribeCommand = /* @__PURE__ */ writing(
  "Carries out one action: opens, cancels, approves, deletes. Some cannot be undone. After a failure, the request may be sent again, which changes nothing more; emails.send, labels.add-to-order, teachers.activate and teachers.deactivate are never sent again.",
  () => ACTIONS,
);

function writing(description: string, choice: () => OperationChoice): DescribeCommand {
  return (group, terminal, args) =>
    operationCommand<Values>({
      description: `${description} Asks first, unless --yes is given.`,
      choice: choice(),
      withoutKey: false,
      options: (row, operation) => {
        if (operation.body) {
          row
            .addArgument(new Argument("[field=value...]", `fields: ${fieldNames(operation.body).join(", ")}`))
            .option("-d, --data <json>", "the fields as a JSON object, or @file for a file that holds one");
        }
        return row.option("--yes", "do not ask");
      },
      run: send,
    })(group, terminal, args);
}

async function send(asked: Asked<Values>, terminal: Terminal): Promise<void> {
  const { operation, api, values } = asked;
  const body = operation.body ? bodyOf(asked) : undefined;
  // Checks the input before asking, so that nobody confirms a call that the client then refuses.
  buildRequest(operation, { params: paramsOf(asked), body }, "repeat");
  let isSent = false;
  const on: Observers = {
    request: () => {
      isSent = true;
    },
    // A 429 means that the service did nothing; the client waits and sends the request again.
    response: ({ status }) => {
      isSent = status !== 429;
    },
  };
  const client = clientFor(terminal, { ...values, api }, { readOnly: false, on });
  const { id } = operation;
  const what = [id, ...asked.parameters].join(" ");
  if (!values.yes)
    await confirm(terminal, {
      before: async () =>
        `${what} at ${client.baseUrl}\n${await describeConcerned(client, asked)}${body === undefined ? "" : `${jsonText(body)}\n`}`,
      question: "Send it?",
      otherwise: `${id} writes to the service, and there is no terminal to ask on. Nothing was sent. Add --yes`,
    });
  const release = onInterrupt(() => {
    terminal.stderr.write(`Interrupted. ${isSent ? mayBeDone(asked) : "Nothing was carried out"}\n`);
  });
  try {
    const record = await methodIn(client, operation)(...argumentsFor(asked), ...(operation.body ? [body] : []));
    if (record !== undefined) terminal.stdout.write(`${jsonText(record)}\n`);
    terminal.stderr.write(`${checkMark(terminal)}${id}: done\n`);
  } catch (error) {
    if (!(error instanceof EducationAdminError) || error.outcome !== "unknown") throw error;
    throw new Error(`${error.message}\n${mayBeDone(asked)}`, { cause: error });
  } finally {
    release();
  }
}

function mayBeDone({ operation, api, parameters }: Asked): string {
  const [, resource = "", method = ""] = /^(.*)\.(.*)$/.exec(operation.id) ?? [];
  // For a create, whose record's identifier is unknown, suggests the list; otherwise suggests reading the record.
  const [command, choice] = method.startsWith("create") ? ["list", LISTS] : ["get", RECORDS];
  const name = kebab(resource);
  const row = choice.has(name, api) ? choice.find(name, api).operation : null;
  const taken = row ? placeholders(row).length : Number.POSITIVE_INFINITY;
  const how =
    taken > parameters.length
      ? ""
      : `: ${["education-admin-sdk", command, name, ...parameters.slice(0, taken)].join(" ")}`;
  return `The service may have carried out the request. Check before you send it again${how}`;
}

function fieldNames(body: Schema | undefined): string[] {
  const required = requiredFields(body);
  return Object.keys(fieldsOf(body)).map((name) => (required.includes(name) ? `${name} (required)` : name));
}

function bodyOf({ operation, values: { data }, rest }: Asked<Values>): unknown {
  const given = data === undefined ? {} : jsonOf(data);
  const schemas = fieldsOf(operation.body);
  const body: Record<string, unknown> = { ...given };
  const names = new Set<string>();
  for (const pair of rest) {
    const at = pair.indexOf("=");
    if (at < 1)
      throw new UsageError(`Write fields as field=value; put a value with spaces in quotes: name="Example Ltd"`);
    const name = pair.slice(0, at);
    if (names.has(name)) throw new UsageError(`Write the field ${name} once`);
    names.add(name);
    put(body, name.split("."), fieldValue(schemas[name], pair.slice(at + 1)));
  }
  return body;
}

// `address_attributes.city=Delft` sets a field of an object.
function put(target: Record<string, unknown>, [name = "", ...below]: string[], value: unknown): void {
  if (below.length === 0) {
    Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
    return;
  }
  const inner = Object.hasOwn(target, name) && isPlainObject(target[name]) ? { ...target[name] } : {};
  put(inner, below, value);
  put(target, [name], inner);
}

// `null` clears a field. Objects are read as JSON, lists as JSON or separated by commas.
function fieldValue(schema: Schema | undefined, text: string): unknown {
  const kind = schema ? traitsOf(unwrap(schema)).kind : "anything";
  if (text === "null") return null;
  if (["array", "object", "record", "variants"].includes(kind)) {
    const value = parseJson(text);
    if (typeof value === "object" && value !== null) return value;
    const item = schema && traitsOf(unwrap(schema));
    if (item?.kind === "array") return text.split(",").map((part) => valueOfText(item.item, part.trim()));
  }
  return valueOfText(schema, text);
}

function jsonOf(data: string): Record<string, unknown> {
  const value = parseJson(data.startsWith("@") ? textIn(data.slice(1), "--data") : data);
  if (!isPlainObject(value)) throw new UsageError("--data must be a JSON object, or @file for a file that holds one");
  return value;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch {
    return null;
  }
}
