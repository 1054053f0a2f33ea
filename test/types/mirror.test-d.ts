// Compiled, never run: every line must be as the comment beside it says, or the compiler complains.
import type { MainClient } from "../../src/index.js";
import type { MirrorTables } from "../../src/mirror/index.js";

type Tables = MirrorTables<MainClient>;

declare const account: Tables["accounts"];
declare const current: Tables["current_accounts"];
declare const payment: Tables["payments"];
declare const contact: Tables["current_organization_contacts"];

export const name: string = account.name;
export const gone: string | null = account.gone_at;
export const own: string = current.name;
// @ts-expect-error a view shows what is not gone
export const never: string | null = current.gone_at;
// A list that is called otherwise, because it is below another record.
export const amount: string = payment.amount;
// A list of the Organization API.
export const id: number = contact.id;
