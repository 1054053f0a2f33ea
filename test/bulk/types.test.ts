import { expectTypeOf, test } from "vitest";
import type { Key, Path, Reference } from "../../src/bulk/node.js";
import type { AdminClient, MainClient } from "../../src/index.js";

type Users = MainClient["users"];
interface School {
  users: { sector: string };
}

test("the paths are those of the body, not those of the record", () => {
  expectTypeOf<"email" | "address_attributes.city" | "label_ids">().toExtend<Path<Users>>();
  expectTypeOf<"slug">().not.toExtend<Path<Users>>();
  expectTypeOf<"updated_at">().not.toExtend<Path<Users>>();
  expectTypeOf<"users_count">().not.toExtend<Path<MainClient["accounts"]>>();
  expectTypeOf<"display_name">().toExtend<Path<MainClient["customRecords"]>>();
  expectTypeOf<"start_date">().toExtend<Path<AdminClient["plannedCourses"]>>();
});

test("without a school any slug is a custom field; with a school, only its own slugs are", () => {
  expectTypeOf<"custom.anything">().toExtend<Path<Users>>();
  expectTypeOf<"custom.sector">().toExtend<Path<MainClient<School>["users"]>>();
  expectTypeOf<"custom.sectr">().not.toExtend<Path<MainClient<School>["users"]>>();
});

test("the identifier is a key, and references can be given by name", () => {
  expectTypeOf<"id" | "email">().toExtend<Key<Users>>();
  expectTypeOf<"account_type">().toExtend<Key<MainClient["accounts"]>>();
  expectTypeOf<"slug">().not.toExtend<Key<MainClient["accounts"]>>();
  expectTypeOf<Reference<Users>>().toEqualTypeOf<"label_ids">();
  expectTypeOf<"category_id">().toExtend<Reference<MainClient["courses"]>>();
});
