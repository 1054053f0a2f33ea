import * as z from "zod/mini";
import { model, openModel } from "../core/model.js";
import { identifier } from "./ids.js";

/** Schema of {@link CourseTabContent}. */
export const courseTabContentSchema = /* @__PURE__ */ model(() => ({
  /** Identifier of the content, not of the tab. */
  id: z.int(),
  /** The tab the text belongs to. */
  course_tab_id: z.int(),
  content: z.nullable(z.string()),
}));

/** Text of one course tab, as a catalog product carries it. */
export interface CourseTabContent extends z.infer<typeof courseTabContentSchema> {}

const contentFields = () => ({
  /** Identifier of the content, when an existing one is meant. */
  id: z.optional(identifier()),
  content: z.optional(z.string()),
  /** The tab the text belongs to. */
  course_tab_id: z.optional(identifier()),
});

/** Schema of {@link CourseTabContentPayload}. */
export const courseTabContentPayloadSchema = /* @__PURE__ */ model(contentFields);

/** Text of one course tab, as sent with a catalog product. */
export interface CourseTabContentPayload extends z.input<typeof courseTabContentPayloadSchema> {}

/** Schema of {@link CourseTabContentOpenPayload}. */
export const courseTabContentOpenPayloadSchema = /* @__PURE__ */ openModel(contentFields);

/**
 * Text of one course tab, as sent with a course. The service description does not show its fields: those of catalog
 * products are named here, any other passes.
 */
export interface CourseTabContentOpenPayload extends z.input<typeof courseTabContentOpenPayloadSchema> {}
