import { where } from "../data/domain.js";
import { withoutUndefined } from "../data/given.js";
import type { Store } from "../data/store.js";
import type { Behaviours } from "../engine/behaviour.js";
import { notFound, Refusal, unprocessable } from "../engine/refusal.js";
import { checkProperties, objectTypeOf } from "./fields.js";

interface FieldPath {
  readonly object_type: string;
  readonly field_slug: string;
}

export function customBehaviours(store: Store): Behaviours {
  const { customFieldOptions, customObjects, signupQuestions } = store;
  const objectWith = (slug: unknown) => customObjects.find(where({ slug }));
  const optionOf = ({ object_type, field_slug }: FieldPath, value?: string) =>
    customFieldOptions.find(where(withoutUndefined({ object_type, field_slug, value })));
  return {
    customAssociations: { hidden: ["object_type"] },
    customFieldOptions: {
      key: "option_id",
      checkPath: ({ params }) => {
        const { object_type, field_slug } = params as unknown as FieldPath;
        const asked = signupQuestions.find(
          (row) => objectTypeOf(row.for_type) === object_type && row.slug === field_slug,
        );
        if (!asked && !optionOf({ object_type, field_slug })) throw notFound();
      },
      check: ({ value }, option, { params }) => {
        const other = value === undefined ? undefined : optionOf(option ?? (params as unknown as FieldPath), value);
        if (!other || other.id === option?.id) return;
        // rule: `customFieldOptions.create` responds with 409 if the custom field already has an option with this
        // value.
        if (!option) throw new Refusal(409, "Conflict", { errors: { value: ["already exists"] } });
        // rule: an option cannot be given the value of another option.
        throw unprocessable("value", "already exists");
      },
    },
    customObjects: {
      key: "object_slug",
      idOf: (slug) => objectWith(slug)?.id ?? Number.NaN,
    },
    customRecords: {
      key: "record_id",
      checkPath: ({ params }) => {
        if (!objectWith(params.object_slug)) throw notFound();
      },
      check: ({ properties }, record, { params }) =>
        checkProperties(properties, record?.object_slug ?? (params.object_slug as string), store),
      create: ({ active = true }) => ({ active }),
    },
  };
}
