import { BulkError } from "../bulk/errors.js";
import { once } from "../bulk/node-once.js";
import type { MainClient } from "../clients/main.js";
import { UnprocessableEntityError } from "../core/errors.js";
import { checkOptions, type Fail, must, type OptionTable, record, whole } from "../core/option-checks.js";
import type { Invoice, InvoiceItem, InvoiceItemPayload } from "../resources/finance/invoices.js";
import { compareDecimals, type Decimal, decimalOf, decimalText, plus, times, ZERO } from "../work/decimals.js";
import {
  type ActOptions,
  checkAct,
  digestOf,
  isConfirmed,
  placeOf,
  readList,
  readOne,
  refusal,
  withKept,
} from "./node-act.js";
import { payOnce } from "./node-payment.js";

/** The part of an invoice to credit; by default all that is left. */
export interface CreditPart {
  /** Items by their identifiers, with the units to credit. Default: all units that are left. */
  readonly items?: readonly { readonly id: number; readonly units?: number | undefined }[] | undefined;
  /** An amount without VAT, as a decimal string; only for an invoice with a single VAT rate. */
  readonly amount?: string | undefined;
  /** Text that distinguishes this credit from an equal credit of the same invoice; needed only for the second one. */
  readonly reference?: string | undefined;
}

/** Result of `credit`. */
export interface Credited {
  /** The invoice with negative units; null if the act was not confirmed. */
  readonly credit: Invoice | null;
  /** True if an earlier call or somebody else had already made the credit. */
  readonly before: boolean;
  /**
   * The amount of each payment that settled the invoice against its credit; null if there was nothing to settle.
   */
  readonly settled: string | null;
}

const amountIn = (value: unknown) => decimalOf(String(value)) ?? ZERO;
// Keeps at least two decimals, and drops trailing zeros after them.
const moneyText = (text: string) => {
  const value = decimalOf(text);
  return value ? decimalText(plus(value, { digits: 0n, scale: 2 })).replace(/(\.\d\d\d*?)0+$/, "$1") : text;
};
const negative = ({ digits, scale }: Decimal): Decimal => ({ digits: -digits, scale });
const worthOf = (lines: readonly InvoiceItemPayload[]) =>
  lines.map(({ units, unit_price }) => times(amountIn(units), amountIn(unit_price))).reduce(plus, ZERO);

const fail = (path: string, message: string) => refusal("credit", path, message);

const ITEM = { id: [whole(1)], units: [must((value) => Number(value) > 0, "must be a number above 0")] } as const;

const PART: OptionTable<CreditPart> = {
  items: [checkItems],
  amount: [
    must(
      (value) => typeof value === "string" && compareDecimals(decimalOf(value) ?? ZERO, ZERO) > 0,
      'must be a decimal above zero, such as "12.50"',
    ),
  ],
  reference: [must((value) => typeof value === "string" && value.trim() !== "", "must be a text")],
};

function checkItems<Items extends CreditPart["items"]>(path: string, items: Items, fail: Fail): Items {
  if (!Array.isArray(items) || items.length === 0)
    throw fail(path, "must be a list of items, such as [{ id: 3, units: 1 }]");
  const ids = items.map((item) => checkOptions(record(path, item, fail), ITEM, fail, `${path}.`).id);
  const twice = ids.find((id, at) => ids.indexOf(id) !== at);
  if (ids.includes(undefined)) throw fail(path, "has an item without an id");
  if (twice !== undefined) throw fail(path, `names item ${twice} twice`);
  return items;
}

/**
 * Credits an invoice, in whole or in part, once: makes a second invoice with negative units and the footnote
 * `Credit of <number>`, opens it, and settles the amount that is open on both by a positive and a negative payment.
 * @throws InputError if more than is left would be credited, or the invoice has no number yet; nothing is sent then.
 * BulkError `stopped` if somebody else credited the same part during the call; its message names the invoices.
 * @example
 * await credit(client, 4, { amount: "10.00" });
 */
export async function credit(
  client: Pick<MainClient, "invoices" | "payments">,
  invoice: number,
  part: CreditPart = {},
  options: ActOptions = {},
): Promise<Credited> {
  checkAct("credit", part, PART, options);
  const { reference } = part;
  const { settleMs, signal } = options;
  // The order of items and the form of the amount must not change the footnote, which identifies the credit.
  const items = part.items && [...part.items].sort((a, b) => a.id - b.id);
  const amount = part.amount && moneyText(part.amount);
  if (items && amount !== undefined) throw fail("amount", "cannot be combined with items: leave one out");
  const one = await readOne("invoices.get", invoice, client.invoices.get(invoice));
  if (!["open", "expired", "paid"].includes(one.status))
    throw fail("invoice", `${invoice} is ${one.status}: only an invoice that was opened can be credited`);
  if (one.number === null) throw fail("invoice", `${invoice} has no number yet, and the footnote of a credit needs it`);
  const given = items
    ? ` (items ${items.map(({ id, units }) => (units === undefined ? id : `${id}: ${units}`)).join(", ")})`
    : amount
      ? ` (${amount})`
      : "";
  const all = `Credit of ${one.number}`;
  const footnote = all + given + (reference === undefined ? "" : ` ${reference}`);
  const credits = async () => {
    const others = await readList("invoices.list", client.invoices.list({ account_id: one.account_id }));
    return others.filter(
      (other) => other.status !== "deleted" && (other.footnote === all || other.footnote?.startsWith(`${all} `)),
    );
  };
  const made = await credits();
  const known = made.find((other) => other.footnote === footnote);
  if (!known) {
    const lines = linesOf(one, made, { items, amount });
    const steps = [
      ...lines.map(
        ({ name, units, unit_price }) =>
          `credit ${-units} × ${unit_price} ${one.currency} of "${name}" of invoice ${one.number}`,
      ),
      `open the credit and settle it against invoice ${one.number}: record a payment on each, for the amount open on both`,
    ];
    if (!(await isConfirmed(options, steps))) return { credit: null, before: false, settled: null };
    await once<Invoice>(placeOf(options, `invoice-${invoice}-${digestOf(footnote)}.crediting`), {
      settleMs,
      signal,
      find: async () => (await credits()).find((other) => other.footnote === footnote),
      make: () =>
        client.invoices.create({ account_id: one.account_id, footnote, invoice_items_attributes: lines }, { signal }),
    });
  }
  const now = await credits();
  const own = now.filter((other) => other.footnote === footnote);
  const left = now.map(({ total_excl }) => amountIn(total_excl)).reduce(plus, amountIn(one.total_excl));
  const [first] = own;
  if (!first || own.length > 1 || compareDecimals(left, { digits: -BigInt(now.length), scale: 2 }) < 0) {
    const ids = (own.length > 1 ? own : now).map(({ id }) => id).join(", ");
    throw new BulkError(
      "stopped",
      `credit: invoices ${ids} credit too much of invoice ${one.number}, because somebody else credited it at the same time. Remove one of them in the service.`,
    );
  }
  if (first.status === "concept") await client.invoices.open(first.id);
  const settled = await settle(client, invoice, first, options);
  return { credit: await client.invoices.get(first.id), before: known !== undefined, settled };
}

// Settles an invoice against its credit by a payment on each; otherwise the invoice would stay open.
async function settle(
  client: Pick<MainClient, "invoices" | "payments">,
  invoice: number,
  credit: Invoice,
  options: ActOptions,
): Promise<string | null> {
  const quiet = { ...options, confirm: undefined };
  const reference = `settles ${credit.footnote}`;
  let refused: { readonly amount: string; readonly error: unknown } | undefined;
  for (;;) {
    const settling = await settlingOf(client, invoice, credit.id, options, refused !== undefined);
    if (settling === null) return null;
    const { amount, taken } = settling;
    if (amount === refused?.amount) throw refused.error;
    try {
      // Pays the invoice first: if the service refuses the payment because it exceeds the open amount, nothing is left
      // half settled.
      await payOnce(client, invoice, { amount }, reference, quiet, taken);
    } catch (error) {
      if (!(error instanceof UnprocessableEntityError)) throw error;
      // Somebody has just paid a part, so less is open.
      refused = { amount, error };
      continue;
    }
    await payOnce(client, credit.id, { amount: `-${amount}` }, reference, quiet, taken);
    return amount;
  }
}

interface Settling {
  readonly amount: string;
  /** Earlier payments: none of them can be this payment, even if the amount is the same. */
  readonly taken: readonly number[];
}

/**
 * The amount that is open on both an invoice and its credit; null if there is none. Stored before anything is paid,
 * because less is open afterwards. @param isAnew true to replace the stored amount.
 */
function settlingOf(
  { invoices, payments }: Pick<MainClient, "invoices" | "payments">,
  invoice: number,
  id: number,
  options: ActOptions,
  isAnew: boolean,
): Promise<Settling | null> {
  const place = placeOf(options, `invoice-${id}.settling`);
  return withKept<Settling, Settling | null>(place, "credit", async (kept, keep) => {
    if (kept && !isAnew) return kept;
    const read = (one: number) => readOne("invoices.get", one, invoices.get(one));
    const [debt, back] = await Promise.all([read(invoice), read(id)]);
    if (back.status === "concept")
      throw new BulkError(
        "stopped",
        `credit: the service reported that it opened invoice ${id}, but it is still a concept. Open it in the service, then call again.`,
      );
    const [open, left] = [amountIn(debt.total_open), negative(amountIn(back.total_open))];
    const isAll = compareDecimals(left, open) <= 0;
    if (compareDecimals(isAll ? left : open, ZERO) <= 0) return null;
    const paid = [];
    for (const one of [id, invoice])
      paid.push(...(await readList("payments.listForInvoice", payments.listForInvoice(one))));
    const amount = isAll ? back.total_open.replace("-", "") : debt.total_open;
    const settling = { amount, taken: paid.map((one) => one.id) };
    await keep(settling);
    return settling;
  });
}

function linesOf(one: Invoice, made: readonly Invoice[], { items, amount }: CreditPart): InvoiceItemPayload[] {
  const stranger = items?.find(({ id }) => !one.invoice_items.some((item) => item.id === id));
  if (stranger) throw fail("items", `names ${stranger.id}, which is not an item of invoice ${one.number}`);
  // A credit does not name the item that it credits, so equal items share one count of units left.
  const left = new Map<string, number>();
  for (const item of [one, ...made].flatMap(({ invoice_items }) => invoice_items))
    left.set(nameOf(item), exact((left.get(nameOf(item)) ?? 0) + item.units));
  const lines = one.invoice_items.flatMap((item) => {
    const asked = items?.find(({ id }) => id === item.id);
    if (amount !== undefined || (items && !asked)) return [];
    const most = Math.max(0, Math.min(item.units, left.get(nameOf(item)) ?? 0));
    const units = asked?.units ?? most;
    if (asked && !(units > 0 && units <= most))
      throw fail("items", `names ${units} units of item ${item.id}, of which ${most} are left to credit`);
    left.set(nameOf(item), exact((left.get(nameOf(item)) ?? 0) - units));
    const { name, unit_price, invoice_vat_id } = item;
    return units > 0 ? { name, units: -units, unit_price, invoice_vat_id } : [];
  });
  const rest = made.map(({ total_excl }) => amountIn(total_excl)).reduce(plus, amountIn(one.total_excl));
  // Allows one cent for each line, whose amount may have been rounded.
  const slack = { digits: BigInt(lines.length), scale: 2 };
  let isOver = compareDecimals(plus(plus(rest, worthOf(lines)), slack), ZERO) < 0;
  const [vat, other] = new Set(one.invoice_items.map(({ invoice_vat_id }) => invoice_vat_id));
  // After a credit of an amount, the units left may be worth more than the amount left, which one line then credits.
  const isRest = isOver && !items && other === undefined && compareDecimals(rest, ZERO) > 0;
  const unit_price = isRest ? decimalText(rest) : amount;
  if (unit_price !== undefined) {
    if (vat === undefined || other !== undefined)
      throw fail("amount", "cannot be credited on an invoice with several VAT rates: credit items");
    lines.splice(0, lines.length, { name: `Credit of ${one.number}`, units: -1, unit_price, invoice_vat_id: vat });
    isOver = compareDecimals(plus(rest, worthOf(lines)), ZERO) < 0;
  }
  if (lines.length === 0 || isOver)
    throw fail(
      "",
      `would credit more than is left of invoice ${one.number}: only ${decimalText(rest)} ${one.currency} without VAT`,
    );
  return lines;
}

const nameOf = ({ name, unit_price, invoice_vat_id }: InvoiceItem) =>
  JSON.stringify([name, unit_price, invoice_vat_id]);
// Avoids sums of units such as 0.30000000000000004.
const exact = (units: number) => Math.round(units * 1e6) / 1e6;
