import { BulkError } from "../bulk/errors.js";
import { once } from "../bulk/node-once.js";
import type { MainClient } from "../clients/main.js";
import { acceptAny, type OptionTable } from "../core/option-checks.js";
import type { Payment, PaymentCreate } from "../resources/finance/payments.js";
import { isDay } from "../work/days.js";
import { compareDecimals, decimalOf } from "../work/decimals.js";
import {
  type ActOptions,
  checkAct,
  digestOf,
  isConfirmed,
  isMarked,
  placeOf,
  readList,
  readOne,
  refusal,
  withKept,
} from "./node-act.js";

/** A payment that was received. */
export interface PaymentReceived {
  /** Decimal text such as `"12.50"`, in the invoice's currency. */
  readonly amount: string;
  /** The day of the payment, `yyyy-MM-dd`. */
  readonly date: string;
  /**
   * Text that distinguishes this payment from an equal one of the same day, such as the bank's identifier of the
   * transfer.
   */
  readonly reference: string;
}

/** Result of `recordPayment`. */
export interface RecordedPayment {
  /** The payment; null if the act was not confirmed. */
  readonly payment: Payment | null;
  /** True if an earlier call recorded the payment. */
  readonly before: boolean;
  /** Equal payments that somebody else recorded during the call: check whether they are the same transfer. */
  readonly others: readonly number[];
}

const RECEIVED: OptionTable<PaymentReceived> = { amount: [acceptAny], date: [acceptAny], reference: [acceptAny] };

const fail = (path: string, message: string) => refusal("recordPayment", path, message);

type Client = Pick<MainClient, "invoices" | "payments">;

/** A payment that is stored before it is sent, without an identifier until the service confirms it. */
type Kept = PaymentCreate & { readonly id?: number; readonly date?: string };

/**
 * Records a payment of an invoice once per reference. The file `invoice-<id>.payments` remembers which payment belongs
 * to which reference, because the service does not: keep it.
 * @throws InputError if the invoice is a concept, if this reference was used with another amount or day or its payment
 * was deleted, or if an equal payment exists without a reference; nothing is sent then. The errors of `once`.
 * @example
 * await recordPayment(client, 1, { amount: "12.50", date: "2030-06-30", reference: "transfer 88" });
 */
export async function recordPayment(
  client: Client,
  invoice: number,
  received: PaymentReceived,
  options: ActOptions = {},
): Promise<RecordedPayment> {
  checkAct("recordPayment", received, RECEIVED, options);
  const { amount, date, reference } = received;
  if (!decimalOf(amount) || !/[1-9]/.test(amount))
    throw fail("amount", 'must be a decimal other than zero, such as "12.50"');
  if (typeof date !== "string" || !isDay(date)) throw fail("date", "must be a day, such as 2030-06-30");
  if (typeof reference !== "string" || reference.trim() === "")
    throw fail("reference", "must distinguish this payment from an equal one");
  return payOnce(client, invoice, { amount, date }, reference.trim(), options);
}

/**
 * Records a payment, positive or negative. @param taken identifiers of payments that cannot be this one.
 */
export async function payOnce(
  client: Client,
  invoice: number,
  body: PaymentCreate & { readonly date?: string },
  reference: string,
  options: ActOptions,
  taken: readonly number[] = [],
): Promise<RecordedPayment> {
  const { settleMs, signal } = options;
  const place = placeOf(options, `invoice-${invoice}.payments`);
  return withKept<Record<string, Kept>, RecordedPayment>(place, "recordPayment", async (known, write) => {
    const kept = known ?? {};
    const mark = digestOf(reference);
    const keep = (one: Kept) => write(Object.assign(kept, { [mark]: one }));
    const paying = placeOf(options, `invoice-${invoice}-${mark}.paying`);
    const isAgain = await isMarked(paying, "recordPayment");
    const own = kept[mark];
    const id = own?.id;
    // Payments without a date settle a credit and are not compared: their amount depends on what is still open.
    if (own && body.date && (isAgain || id !== undefined) && !(own.date === body.date && isSame(own, body)))
      throw fail(
        "reference",
        `${reference} was already used for a payment of ${own.amount} on ${own.date}: check that payment, or use another reference`,
      );
    const ids = Object.values(kept).flatMap((one) => one.id ?? []);
    const isEqual = equalTo(body, new Set([...ids, ...taken]));
    const look = async () => {
      const all = await readList("payments.listForInvoice", client.payments.listForInvoice(invoice));
      return { all, equal: all.filter((paid) => isEqual(paid) && !FAILED.includes(paid.status)).map(({ id }) => id) };
    };
    const before = await look();
    if (id !== undefined) {
      const payment = before.all.find((one) => one.id === id);
      if (!payment) throw fail("reference", `was recorded as payment ${id}, which is gone: use another reference`);
      return { payment, before: true, others: [] };
    }
    if (!isAgain) {
      if (before.equal.length > 0)
        throw fail(
          "",
          `payment ${before.equal.join(", ")} has this amount and day, and no reference recorded it: somebody else may have recorded this transfer. Delete one of them, or change the amount or the day`,
        );
      const { status, number, total_open, currency } = await readOne(
        "invoices.get",
        invoice,
        client.invoices.get(invoice),
      );
      if (status === "concept") throw fail("invoice", `${invoice} is a concept, which nobody can pay: open it first`);
      const step = `record a payment of ${body.amount} ${currency}${body.date ? ` dated ${body.date}` : ""} for invoice ${number}, of which ${total_open} is open`;
      if (!(await isConfirmed(options, [step]))) return { payment: null, before: false, others: [] };
    }
    await keep(body);
    let made = 0;
    let others: readonly number[] = [];
    const payment = await once<Payment>(paying, {
      settleMs,
      signal,
      async find() {
        const { all, equal } = await look();
        if (made === 0 && equal.length > 1)
          throw new BulkError(
            "stopped",
            `recordPayment: the response was lost, and payments ${equal.join(", ")} of invoice ${invoice} equal the one sent: somebody else recorded one at the same time. Delete one of them and call again.`,
          );
        const found = all.find((one) => one.id === (made || equal[0]));
        others = equal.filter((one) => one !== found?.id);
        if (found) await keep({ ...body, id: found.id });
        return found;
      },
      async make() {
        const payment: Payment | undefined = await client.payments.createForInvoice(invoice, body, { signal });
        // After a success without a body, or with another payment, `find` looks for an equal one.
        made = payment && isEqual(payment) ? payment.id : 0;
      },
    });
    return { payment, before: false, others };
  });
}

function isSame(...[a, b]: readonly [Pick<PaymentCreate, "amount">, Pick<PaymentCreate, "amount">]): boolean {
  const [one, other] = [decimalOf(String(a.amount)), decimalOf(String(b.amount))];
  return one !== null && other !== null && compareDecimals(one, other) === 0;
}

const FAILED: readonly string[] = ["failed", "internal_server_error"];

/** Tests whether a payment has the wanted amount and day. @param taken identifiers of payments that cannot be it. */
function equalTo(body: PaymentCreate, taken: ReadonlySet<number>): (paid: Payment) => boolean {
  return (paid) =>
    !taken.has(paid.id) && (body.date === undefined || paid.date?.slice(0, 10) === body.date) && isSame(paid, body);
}
