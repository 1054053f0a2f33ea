import * as z from "zod/mini";
import { ADMIN_ONLY, type OperationTable, operationTable, type PageQuery } from "../../core/operation.js";
import { enumeration, model } from "../../core/schema/model.js";
import { dateTime } from "../../models/dates.js";
import { type Call, call, ListedResource, type ListOptions, type Pages, pages, type RequestOptions } from "../methods.js";

/**
 * Kinds of record that a certificate is awarded for. The service description shows only `course_enrollment`, so other
 * kinds may occur.
 */
export const CertifiableType = /* @__PURE__ */ enumeration(["course_enrollment", "program_enrollment", "evaluation_element"], { complete: false });
export type CertifiableType = (typeof CertifiableType.values)[number];

export const certificateSchema = /* @__PURE__ */ model(() => ({
  /** Unique within the school. */
  id: z.int(),
  /** Identifier of the record that the certificate is awarded for, such as an enrollment. */
  certifiable_id: z.int(),
  /** Kind of record that the certificate is awarded for. */
  certifiable_type: CertifiableType.open,
  /** URL of the certificate's PDF. */
  pdf_url: z.nullable(z.string()), // document
  /** When the certificate was created. */
  created_at: dateTime(),
}));

/** A certificate that has been awarded. */
export interface Certificate extends z.infer<typeof certificateSchema> {}

const operations = /* @__PURE__ */ operationTable(
  "certificates",
  { apis: ADMIN_ONLY, beta: true, scopes: "enrollments" },
  {
    list: { method: "GET", path: "certificates", response: certificateSchema, paged: "cursor" },
    get: { method: "GET", path: "certificates/{id}", response: certificateSchema },
  },
);
export const certificateOperations: OperationTable = operations;

/** Certificates that have been awarded (Admin API). */
export class Certificates extends ListedResource<Certificate, PageQuery> {
  /** @internal */
  static readonly operations = certificateOperations;

  /**
   * Lists awarded certificates.
   * @beta
   * @example
   * for await (const certificate of admin.certificates.list()) console.log(certificate.pdf_url);
   */
  list(query: PageQuery = {}, options?: ListOptions): Pages<Certificate> {
    return pages(this, operations.list, { query }, options);
  }

  /**
   * Reads one certificate.
   * @beta
   * @example
   * const certificate = await admin.certificates.get(1);
   */
  get(id: number, options?: RequestOptions): Call<Certificate> {
    return call(this, operations.get, { params: { id } }, options);
  }
}
