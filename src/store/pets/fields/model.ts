import { Kind, Type, TypeRegistry } from "@sinclair/typebox";
import { type Static, type TSchema, t } from "elysia";
import { etagOf } from "../../../http/etag.ts";
import {
  checked,
  Id,
  IntegerFrom,
  ListOf,
  MultilineText,
  OneOf,
  parsed,
  Rule,
  Text,
  YesOrNo,
} from "../../../http/schemas.ts";
import { isDate } from "../../../lib/time.ts";
import { FIELD_KINDS, isReservedName, MAX_FIELDS, MAX_POSITION, type Field as StoredField } from "./field.ts";

const NAME = /^[a-z][a-zA-Z0-9]{0,39}$/;

const FieldName = checked<string>(
  "FieldName",
  {
    type: "string",
    pattern: NAME.source,
    description: "Its name in `custom`. A new name keeps the values.",
    examples: ["coat"],
  },
  "must be 1 to 40 letters A to Z or digits, and begin with a small letter, and not a name such as constructor, which JavaScript uses",
  (value) => typeof value === "string" && NAME.test(value) && !isReservedName(value),
);

const FieldKind = OneOf("FieldKind", FIELD_KINDS, {
  description: "The kind of its values. It never changes.",
  examples: ["choice"],
});

const changeable = {
  name: FieldName,
  label: Text("FieldLabel", { max: 80, description: "Its name for people.", examples: ["Coat"] }),
  choices: ListOf(Text("Choice", { max: 80, description: "A value.", examples: ["long"] }), {
    min: 1,
    max: 50,
    description: "The values of the kind `choice`. Other kinds have none.",
  }),
  public: YesOrNo("Whether adopters may see the values. A new field is not public.", false),
  position: IntegerFrom(0, MAX_POSITION, {
    description: "Fields are shown by position, then by id. A new field is the last.",
    examples: [1],
  }),
};

export const FieldChange = t.Partial(t.Object(changeable), {
  $id: "FieldChange",
  additionalProperties: false,
  description: "The members to change. Absent members keep their value (RFC 7396).",
});

export const NewField = t.Object(
  { ...FieldChange.properties, name: FieldName, label: changeable.label, kind: FieldKind },
  { $id: "NewField", additionalProperties: false, description: "A custom field to add." },
);

export const Field = t.Object(
  {
    id: Id("Unique identifier, assigned by the service.", 3),
    ...changeable,
    kind: FieldKind,
    choices: FieldChange.properties.choices,
  },
  { $id: "Field", description: "A custom field." },
);

export const Fields = t.Array(Field, {
  $id: "Fields",
  maxItems: MAX_FIELDS,
  description: "All custom fields, by position and id.",
});

const CONFIRMATION = /^(0|[1-9][0-9]{0,14})$/;

const Confirmation = checked(
  "Confirmation",
  {
    type: "integer",
    minimum: 0,
    maximum: 999_999_999_999_999,
    description: "The number of animals that lose their value. The error without it has the number.",
    examples: [12],
  },
  "must be a number of animals, in plain digits",
  (value) => CONFIRMATION.test(String(value)),
);

export const DeletionQuery = t.Object(
  { confirm: t.Optional(parsed(Confirmation, Number)) },
  { additionalProperties: false },
);

/** From a validated body. */
export const toField = <Body extends Static<typeof FieldChange>>({ public: isPublic, ...field }: Body) => ({
  ...field,
  ...(isPublic !== undefined && { isPublic }),
});

/** The JSON form of a field. */
export const fromField = ({ isPublic, ...field }: StoredField) => ({ ...field, public: isPublic });

/** The entity tag of a field, as `ETag` has it and `If-Match` takes it. */
export const etagOfField = (field: StoredField): string => etagOf(JSON.stringify(fromField(field)));

const CustomDate = checked<string>(
  "CustomDate",
  { type: "string" },
  "must be a date such as 2024-05-17",
  (value) => typeof value === "string" && isDate(value),
);

const VALUES: Readonly<Record<Exclude<StoredField["kind"], "choice">, TSchema>> = {
  text: MultilineText("CustomText", { max: 2000, description: "A text." }),
  number: Type.Number({ [Rule]: "must be a number" }),
  boolean: YesOrNo("Yes or no.", true),
  date: CustomDate,
};

TypeRegistry.Set<TSchema>("CustomChoice", ({ enum: choices }, value) =>
  (choices as unknown[]).includes(value),
);

const valueOf = ({ kind, choices = [] }: StoredField): TSchema =>
  kind === "choice"
    ? t.Unsafe({
        type: "string",
        enum: choices,
        [Kind]: "CustomChoice",
        [Rule]: `must be one of ${choices.join(", ")}`,
      })
    : VALUES[kind];

/** The schema of `custom` in a profile. */
export const customValues = (fields: readonly StoredField[]): TSchema =>
  t.Object(Object.fromEntries(fields.map((field) => [field.name, t.Optional(valueOf(field))])), {
    additionalProperties: false,
  });
