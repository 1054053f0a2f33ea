import { nearestName } from "../core/nearest-name.js";
import type { Api, Operation } from "../core/operation.js";
import { didYouMean } from "../core/option-checks.js";
import { KEPT, LIST_NAMES } from "../generated/words.js";
import { allOperations } from "../operations.js";
import { UsageError } from "./terminal.js";

export type ProviderApi = Exclude<Api, "organization">;

export interface FoundOperation {
  readonly operation: Operation;
  readonly api: ProviderApi;
}

export interface OperationChoice {
  readonly names: readonly string[];
  has(name: string, api: ProviderApi | null): boolean;
  /**
   * Finds an operation by its name, and the API that has it.
   * @param command the command that a hint shows, such as `export`. Default: the usual one, such as `list`.
   * @param api null prefers the Main API and falls back to the Admin API.
   * @throws UsageError if there is no such operation.
   */
  find(name: string, api: ProviderApi | null, command?: string): FoundOperation;
}

const isList = ({ paged }: Operation) => paged !== undefined;
const isRecord = ({ method, paged, response }: Operation) =>
  method === "GET" && paged === undefined && response !== undefined;
const isCreate = ({ id }: Operation) => /\.create[^.]*$/.test(id);
const isUpdate = ({ id }: Operation) => id.endsWith(".update");
const isAction = (operation: Operation) => operation.method !== "GET" && !isCreate(operation) && !isUpdate(operation);

/** Every list of the library, such as `invoices`, `organization.contacts` or `meetings.list-for-planned-course`. */
export const LISTS: OperationChoice = /* @__PURE__ */ choiceOf("list", isList, () => RECORDS);

/** Every operation that reads one record, such as `accounts` or `invoices.get-pdf`. */
export const RECORDS: OperationChoice = /* @__PURE__ */ choiceOf("get", isRecord, () => LISTS);

/** Every operation that creates one record, such as `leads` or `payments.create-for-invoice`. */
export const CREATES: OperationChoice = /* @__PURE__ */ choiceOf("create", isCreate, () => UPDATES);

/** Every operation that changes fields of one record, such as `accounts`. */
export const UPDATES: OperationChoice = /* @__PURE__ */ choiceOf("update", isUpdate, () => CREATES);

/** Every other operation that writes, such as `invoices.open` or `labels.delete`. */
export const ACTIONS: OperationChoice = /* @__PURE__ */ choiceOf("do", isAction, () => UPDATES);

function choiceOf(usual: Usual, has: (operation: Operation) => boolean, other: () => OperationChoice): OperationChoice {
  const rows = () => allOperations.filter(has);
  const nameOf = ({ id }: Operation) => kebab(id.endsWith(`.${usual}`) ? id.slice(0, -usual.length - 1) : id);
  const search = (name: string, api: ProviderApi | null): FoundOperation | null => {
    const found = rows().filter((row) => nameOf(row) === kebab(name));
    for (const candidate of api === null ? (["main", "admin"] as const) : [api]) {
      const operation = found.find(({ apis }) => apis.includes(candidate) || apis.includes("organization"));
      if (operation) return { operation, api: candidate };
    }
    return null;
  };
  return {
    get names() {
      return [...new Set(rows().map(nameOf))].sort();
    },
    has: (name, api) => search(name, api) !== null,
    find(name, api, command = usual) {
      const found = search(name, api);
      if (found) return found;
      if (this.names.includes(kebab(name))) throw new UsageError(`The ${api} API has no "${name}"`);
      const below = rows().find((row) => nameOf(row).startsWith(`${kebab(name)}.`));
      if (below) {
        throw new UsageError(
          `To ${usual} "${name}", also name the record that they belong to: ${exampleOf(command, nameOf(below), below)}`,
        );
      }
      const otherwise = other().has(name, api) ? other().find(name, api).operation : null;
      if (otherwise) throw new UsageError(otherCommand(kebab(name), usual, otherwise));
      // Suggests only operations of the named resource: any other would act on a different record.
      const resource = resourceOf(kebab(name));
      const [service] = LIST_NAMES.get(resource) ?? [];
      const kept = /\.(?:delete|remove|destroy)$/.test(name) ? KEPT.get(service ?? resource) : undefined;
      if (kept !== undefined) throw new UsageError(kept);
      if (service !== undefined)
        throw new UsageError(`To the service, "${resource}" are ${service}: name ${service} to ${usual} them`);
      const isKnown = allOperations.some(({ id }) => kebab(id).startsWith(`${resource}.`));
      const isNear = (other: string) =>
        isKnown ? other === resource : other[0] === resource[0] && nearestName(resource, [other]) !== null;
      const method = name.slice(resource.length + 1);
      const near = this.names.filter(
        (each) =>
          isNear(resourceOf(each)) && (!isKnown || nearestName(method, [each.slice(resource.length + 1)]) !== null),
      );
      throw new UsageError(`There is no "${name}" to ${usual}${didYouMean(name, near)}`);
    },
  };
}

function resourceOf(name: string): string {
  return name.replace(/\.[^.]*$/, "");
}

type Usual = "get" | "list" | "create" | "update" | "do";

function otherCommand(name: string, asked: Usual, operation: Operation): string {
  if (asked === "create")
    return `"${name}" cannot be created, only updated: ${exampleOf("update", name, operation)} field=value`;
  if (asked === "update" || asked === "do") return `There is no "${name}" to ${asked}`;
  return asked === "get"
    ? `"${name}" can only be listed, not read one by one: ${exampleOf("list", name, operation)}`
    : `"${name}" is not a list; it is read one by one: ${exampleOf("get", name, operation)}`;
}

function exampleOf(command: string, name: string, { path }: Operation): string {
  return `education-admin-sdk ${command} ${name}${" 7".repeat(path.split("{").length - 1)}`;
}

/** Converts `catalogProducts.list` to `catalog-products.list` and `account_type` to `account-type`. */
export function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`).replaceAll("_", "-");
}
