import * as z from "zod/mini";
import { type OperationTable, ORGANIZATION, operationTable, type PageQuery } from "../../core/operation.js";
import { model } from "../../core/schema/model.js";
import { ListedResource, type ListOptions, type Pages, pages } from "../methods.js";

export const organizationProgramEditionSchema = /* @__PURE__ */ model(() => ({
  /** Unique within the school. */
  id: z.int(),
  /** Name of the program edition. */
  name: z.string(), // plain
  /** Name of the program template. */
  program_template_name: z.string(), // plain
}));

/** A program edition: a run of a program template over a period. */
export interface OrganizationProgramEdition extends z.infer<typeof organizationProgramEditionSchema> {}

const operations = /* @__PURE__ */ operationTable(
  "organization.programEditions",
  { apis: ORGANIZATION },
  {
    list: { method: "GET", path: "program_editions", response: organizationProgramEditionSchema, paged: "cursor", pathConfirmed: false },
  },
);
export const organizationProgramEditionOperations: OperationTable = operations;

/** Program editions: runs of program templates over a period (Organization API). */
export class OrganizationProgramEditions extends ListedResource<OrganizationProgramEdition, PageQuery> {
  /** @internal */
  static readonly operations = organizationProgramEditionOperations;

  /**
   * Lists program editions. The service description shows no path for this operation: if the assumed one returns 404,
   * set the client option `routes`.
   * @example
   * for await (const edition of client.organization.programEditions.list()) console.log(edition.name);
   */
  list(query: PageQuery = {}, options?: ListOptions): Pages<OrganizationProgramEdition> {
    return pages(this, operations.list, { query }, options);
  }
}
