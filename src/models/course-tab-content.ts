import * as z from "zod/mini";
import { model, partial } from "../core/schema/model.js";
import { identifier } from "./ids.js";

export const courseTabContentSchema = /* @__PURE__ */ model(() => ({
  /** Identifier of the content, not of the tab. */
  id: z.int(),
  /** The tab the text belongs to. */
  course_tab_id: z.int(),
  /** Text of the tab. */
  content: z.nullable(z.string()), // plain
}));

/** Text of one course tab in a catalog product. */
export interface CourseTabContent extends z.infer<typeof courseTabContentSchema> {}

export const catalogProductTabContentPayloadSchema = /* @__PURE__ */ model(() => ({
  /** Identifier of the content, not of the tab. */
  id: identifier(),
  /** Text of the tab. */
  content: z.string(),
  /** The tab the text belongs to. */
  course_tab_id: identifier(),
}));

/** Text of one course tab, sent with a catalog product. */
export interface CatalogProductTabContentPayload extends z.input<typeof catalogProductTabContentPayloadSchema> {}

const contentFields = () => ({
  /** The tab the text belongs to. */
  course_tab_id: identifier(),
  /** Text of the tab. */
  content: z.nullable(z.string()),
});

export const courseTabContentPayloadSchema = /* @__PURE__ */ model(contentFields);

/** Text of one course tab, sent with a new course or program. */
export interface CourseTabContentPayload extends z.input<typeof courseTabContentPayloadSchema> {}

export const courseTabContentUpdatePayloadSchema = /* @__PURE__ */ model(() => ({
  /** Identifier of the content, not of the tab. */
  id: identifier(),
  /** The tab the text belongs to. */
  course_tab_id: z.optional(identifier()),
  /** Text of the tab. */
  content: z.optional(z.nullable(z.string())),
}));

/** Text of one course tab, sent to change a program in the Main API. */
export interface CourseTabContentUpdatePayload extends z.input<typeof courseTabContentUpdatePayloadSchema> {}

export const courseTabContentPatchPayloadSchema = /* @__PURE__ */ model(() =>
  partial({
    /** Identifier of the content, not of the tab. Deprecated in the Admin API. */
    id: identifier(),
    ...contentFields(),
  }),
);

/** Text of one course tab, sent to change a course. */
export interface CourseTabContentPatchPayload extends z.input<typeof courseTabContentPatchPayloadSchema> {}
