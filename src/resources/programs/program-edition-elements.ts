import * as z from "zod/mini";
import { enumeration, model, ref, variants, variantsInput } from "../../core/schema/model.js";
import { identifier } from "../../models/ids.js";
import { listInput } from "../../models/lists.js";
import { decimal } from "../../models/money.js";

/** Kinds of element in a program edition. */
export const ProgramEditionElementType = /* @__PURE__ */ enumeration(["BlockElement", "CourseElement", "ElectiveElement", "EvaluationElement", "ThesisElement"]);
export type ProgramEditionElementType = (typeof ProgramEditionElementType.values)[number];

const elementFields = () => ({
  /** Name of the element. */
  name: z.string(), // plain
  /** Credits that the element awards, as decimal text. */
  credits: z.nullable(decimal()),
});

export const programEditionCourseElementSchema = /* @__PURE__ */ model(() => ({
  ...elementFields(),
  /** The kind of element. */
  element_type: z.literal("CourseElement"),
  /** The course to take. */
  course_id: z.int(),
  /** The planned course in which the course is taken; null if not decided yet. */
  planned_course_id: z.nullable(z.int()),
}));

/** A course in a program edition. */
export interface ProgramEditionCourseElement extends z.infer<typeof programEditionCourseElementSchema> {}

export const programEditionEvaluationElementSchema = /* @__PURE__ */ model(() => ({
  ...elementFields(),
  /** The kind of element. */
  element_type: z.literal("EvaluationElement"),
}));

/** An evaluation in a program edition. */
export interface ProgramEditionEvaluationElement extends z.infer<typeof programEditionEvaluationElementSchema> {}

export const programEditionElectiveElementSchema = /* @__PURE__ */ model(() => ({
  ...elementFields(),
  /** The kind of element. */
  element_type: z.literal("ElectiveElement"),
}));

/** An elective: a slot in a program edition that the student fills by choice. */
export interface ProgramEditionElectiveElement extends z.infer<typeof programEditionElectiveElementSchema> {}

export const programEditionThesisElementSchema = /* @__PURE__ */ model(() => ({
  ...elementFields(),
  /** The kind of element. */
  element_type: z.literal("ThesisElement"),
  /** The course in which the thesis is written. */
  course_id: z.int(),
  /** The planned course in which the thesis is written; null if not decided yet. */
  planned_course_id: z.nullable(z.int()),
}));

/** A thesis in a program edition. */
export interface ProgramEditionThesisElement extends z.infer<typeof programEditionThesisElementSchema> {}

export const programEditionBlockElementItemSchema = /* @__PURE__ */ variants<ProgramEditionBlockElementItem>("element_type", [
  programEditionCourseElementSchema,
  programEditionEvaluationElementSchema,
]);

/** An element within a block; compare `element_type` to narrow its type. */
export type ProgramEditionBlockElementItem = ProgramEditionCourseElement | ProgramEditionEvaluationElement;

export const programEditionBlockElementSchema = /* @__PURE__ */ model(() => ({
  ...elementFields(),
  /** The kind of element. */
  element_type: z.literal("BlockElement"),
  /** The elements of the block, in order. */
  elements: z.array(programEditionBlockElementItemSchema),
}));

/** A block of elements. */
export interface ProgramEditionBlockElement extends z.infer<typeof programEditionBlockElementSchema> {}

export const programEditionElementSchema = /* @__PURE__ */ variants<ProgramEditionElement>("element_type", [
  programEditionBlockElementSchema,
  programEditionCourseElementSchema,
  programEditionElectiveElementSchema,
  programEditionEvaluationElementSchema,
  programEditionThesisElementSchema,
]);

/**
 * An element of a program edition; compare `element_type` to narrow its type. The service may add kinds, so a `switch`
 * needs a `default`. Only public documents show its fields.
 */
export type ProgramEditionElement = ProgramEditionBlockElement | ProgramEditionCourseElement | ProgramEditionElectiveElement | ProgramEditionEvaluationElement | ProgramEditionThesisElement;

export const programEditionCourseElementPayloadSchema = /* @__PURE__ */ model(() => ({
  /** The kind of element; records call it `element_type`. */
  type: z.literal("CourseElement"),
  /** The course to take. */
  course_id: identifier(),
  /** The planned course in which the course is taken. */
  planned_course_id: z.optional(z.nullable(identifier())),
}));

/** A course, as sent for a program edition. */
export interface ProgramEditionCourseElementPayload extends z.input<typeof programEditionCourseElementPayloadSchema> {}

export const programEditionBlockElementPayloadSchema = /* @__PURE__ */ model(() => ({
  /** The kind of element; records call it `element_type`. */
  type: z.literal("BlockElement"),
  /** Name of the block. */
  name: z.string(),
  /** The courses of the block, in order. */
  elements: listInput(ref<ProgramEditionCourseElementPayload>(programEditionCourseElementPayloadSchema)),
}));

/** A block of courses, as sent for a program edition. */
export interface ProgramEditionBlockElementPayload extends z.input<typeof programEditionBlockElementPayloadSchema> {}

export const programEditionElementPayloadSchema = /* @__PURE__ */ variantsInput<ProgramEditionElementPayload>("type", [
  programEditionBlockElementPayloadSchema,
  programEditionCourseElementPayloadSchema,
]);

/** An element, as sent for a program edition: a course, or a block of courses. */
export type ProgramEditionElementPayload = ProgramEditionBlockElementPayload | ProgramEditionCourseElementPayload;

export const programEditionCreateElementsSchema = /* @__PURE__ */ model(() => ({
  /** The elements, in order. */
  elements: listInput(programEditionElementPayloadSchema),
}));

/** Elements to create in a program edition that has none. */
export interface ProgramEditionCreateElements extends z.input<typeof programEditionCreateElementsSchema> {}
