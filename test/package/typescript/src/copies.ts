// Objects of one version of the package must be assignable to the types of another version installed beside it.
import * as one from "education-admin-sdk";
import { doctor } from "education-admin-sdk/doctor";
import { exportTo } from "education-admin-sdk/export";
import { createSandbox, type Sandbox } from "education-admin-sdk/sandbox";
import * as other from "other-sdk";
import { createSandbox as otherSandbox } from "other-sdk/sandbox";

const made = new other.MainClient(otherSandbox());

export const clients: [one.MainClient, one.AdminClient, one.OrganizationClient] = [
  made,
  new other.AdminClient(otherSandbox()),
  new other.OrganizationClient(otherSandbox()),
];
export const back: other.MainClient = new one.MainClient(createSandbox());
export const sandbox: Sandbox = otherSandbox();
export const call: one.Call<one.Invoice> = made.invoices.get(1);
export const list: one.Pages<one.Invoice> = made.invoices.list();
export const page: Promise<one.Page<one.Invoice>> = made.invoices.list().first();
export const exported = exportTo("invoices.csv", made.invoices.list(), { format: "csv" });
export const checked = doctor(made);

/** The classes, including errors, whose instances are not assignable. */
type Class = abstract new (...args: never) => unknown;
type Refused = {
  [Name in keyof typeof one & keyof typeof other]: (typeof one)[Name] extends Class
    ? InstanceType<Extract<(typeof other)[Name], Class>> extends InstanceType<(typeof one)[Name]>
      ? never
      : Name
    : never;
}[keyof typeof one & keyof typeof other];
export const refused: [Refused] extends [never] ? true : Refused = true;
