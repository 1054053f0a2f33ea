import type { Api, Operation } from "../core/operation.js";
import { didYouMean } from "../core/option-checks.js";
import { allOperations } from "../operations.js";
import { UsageError } from "./terminal.js";

/** Which client a command uses. */
export type ProviderApi = Exclude<Api, "organization">;

/** Operations that a command can carry out, by the names it has for them. */
export interface OperationChoice {
  readonly names: readonly string[];
  /**
   * The operation of a name, in the API that has it.
   * @param api the one that is asked for; null for the Main API, or the Admin API where only that has it.
   * @throws UsageError when there is no such operation.
   */
  find(name: string, api: ProviderApi | null): { readonly operation: Operation; readonly api: ProviderApi };
}

/** Every list of the library: `invoices`, `organization.contacts`, `meetings.list-for-planned-course`. */
export const LISTS: OperationChoice = /* @__PURE__ */ choiceOf("list", isList, () => RECORDS);

/** Every operation that reads one record: `accounts`, `invoices.get-pdf`. */
export const RECORDS: OperationChoice = /* @__PURE__ */ choiceOf("get", isRecord, () => LISTS);

function isList({ paged }: Operation): boolean {
  return paged !== undefined;
}

function isRecord({ method, paged, response }: Operation): boolean {
  return method === "GET" && paged === undefined && response !== undefined;
}

function choiceOf(
  usual: "get" | "list",
  has: (operation: Operation) => boolean,
  other: () => OperationChoice,
): OperationChoice {
  const rows = () => allOperations.filter(has);
  const nameOf = ({ id }: Operation) => kebab(id.endsWith(`.${usual}`) ? id.slice(0, -usual.length - 1) : id);
  return {
    get names() {
      return [...new Set(rows().map(nameOf))].sort();
    },
    find(name, api) {
      const found = rows().filter((row) => nameOf(row) === kebab(name));
      if (found.length === 0) {
        if (other().names.includes(kebab(name))) throw new UsageError(otherCommand(name, usual));
        throw new UsageError(`There is no "${name}" to ${usual}${didYouMean(name, this.names)}`);
      }
      for (const candidate of api === null ? (["main", "admin"] as const) : [api]) {
        const operation = found.find(({ apis }) => apis.includes(candidate) || apis.includes("organization"));
        if (operation) return { operation, api: candidate };
      }
      throw new UsageError(`The ${api} API has no "${name}"`);
    },
  };
}

function otherCommand(name: string, asked: "get" | "list"): string {
  return asked === "get"
    ? `"${name}" can only be listed, not read one by one: education-admin-sdk list ${kebab(name)}`
    : `"${name}" is no list; it is read one by one: education-admin-sdk get ${kebab(name)}`;
}

/** `catalogProducts.list` as `catalog-products.list`, `account_type` as `account-type`. */
export function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`).replaceAll("_", "-");
}
