import type { CustomFieldOptionCreate, CustomFieldOptionUpdate } from "../../resources/custom/custom-field-options.js";
import type { CustomRecordCreate, CustomRecordUpdate } from "../../resources/custom/custom-records.js";
import type { Store } from "../data/store.js";
import { type AnyBehaviour, behaviour, type Inquiry } from "../engine/behaviour.js";
import { notFound, Refusal, unprocessable } from "../engine/refusal.js";
import { checkProperties, objectTypeOf } from "./fields.js";
import type { StoredCustomAssociation, StoredCustomFieldOption, StoredCustomRecord } from "./store.js";

interface FieldPath {
  readonly object_type: string;
  readonly field_slug: string;
}

/** Behaviours of custom fields, objects and records, which each environment defines. @internal */
export function customBehaviours(store: Store): Record<string, AnyBehaviour> {
  const { customFieldOptions, customObjects, signupQuestions } = store;
  const fieldOf = ({ params }: Inquiry): FieldPath => {
    const { object_type, field_slug } = params as unknown as FieldPath;
    const known =
      signupQuestions.find((row) => objectTypeOf(row.for_type) === object_type && row.slug === field_slug) ||
      customFieldOptions.find((row) => row.object_type === object_type && row.field_slug === field_slug);
    if (!known) throw notFound();
    return { object_type, field_slug };
  };
  const slugOfObject = ({ params }: Inquiry): string => {
    const object = customObjects.find(({ slug }) => slug === params.object_slug);
    if (!object) throw notFound();
    return object.slug as string;
  };
  const optionWith = ({ object_type, field_slug }: FieldPath, value: string) =>
    customFieldOptions.find(
      (row) => row.object_type === object_type && row.field_slug === field_slug && row.value === value,
    );
  return {
    customAssociations: behaviour<StoredCustomAssociation>({
      hidden: ["object_type"],
      scope:
        ({ params }) =>
        (row) =>
          row.object_type === params.object_type,
    }),
    customFieldOptions: behaviour<StoredCustomFieldOption, CustomFieldOptionCreate, CustomFieldOptionUpdate>({
      key: "option_id",
      scope: (inquiry) => {
        const field = fieldOf(inquiry);
        return (row) => row.object_type === field.object_type && row.field_slug === field.field_slug;
      },
      create: ({ value }, inquiry) => {
        const field = fieldOf(inquiry);
        // assumes: the 409 of `customFieldOptions.create` says that the custom field has an option with this value.
        if (optionWith(field, value)) throw new Refusal(409, "Conflict", { errors: { value: ["exists already"] } });
        return field;
      },
      // assumes: an option cannot get the value of another one.
      update: ({ value }, option) => {
        const other = value === undefined ? undefined : optionWith(option, value);
        if (other && other.id !== option.id) throw unprocessable("value", "exists already");
        return {};
      },
    }),
    customObjects: behaviour({
      operations: {
        get: (inquiry) => {
          const slug = slugOfObject(inquiry);
          return customObjects.find((row) => row.slug === slug);
        },
      },
    }),
    customRecords: behaviour<StoredCustomRecord, CustomRecordCreate, CustomRecordUpdate>({
      key: "record_id",
      scope: (inquiry) => {
        const slug = slugOfObject(inquiry);
        return (row) => row.object_slug === slug;
      },
      create: ({ active = true, properties }, inquiry) => {
        const slug = slugOfObject(inquiry);
        checkProperties(properties, slug, store);
        return { object_slug: slug, active };
      },
      update: ({ properties }, { object_slug: slug }) => {
        checkProperties(properties, slug, store);
        return {};
      },
    }),
  };
}
