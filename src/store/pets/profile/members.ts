import { Type } from "@sinclair/typebox";
import { type TSchema, t } from "elysia";
import {
  checked,
  IntegerFrom,
  ListOf,
  MultilineText,
  OneOf,
  Rule,
  Text,
  YesOrNo,
} from "../../../http/schemas.ts";
import { bigintOf } from "../../../lib/json.ts";
import { once } from "../../../lib/lazy.ts";
import { isLine } from "../../../lib/text.ts";
import { isDate } from "../../../lib/time.ts";

interface Member {
  /** Its values in a request. */
  schema: TSchema;
  /** Its values in a response, if not the same. */
  returned?: TSchema;
}

const line = (max: number, description: string, example: string) =>
  Text(`Line${max}`, { max, description, examples: [example] });

const lines = (max: number, description: string, example: string) =>
  MultilineText(`Lines${max}`, { max, description, examples: [example] });

const wordOf = (words: readonly string[], description: string) =>
  OneOf(words.join(), words, { description, examples: words.slice(0, 1) });

const DATE = "(19|20)[0-9]{2}-[0-9]{2}-[0-9]{2}";
const PARTIAL_DATE = "(19|20)[0-9]{2}(-[0-9]{2}(-[0-9]{2})?)?";

const dateOf = (form: string, rule: string, documentation: Record<string, unknown>) => {
  const pattern = new RegExp(`^${form}$`);
  return checked<string>(
    `Date ${form}`,
    { type: "string", pattern: pattern.source, ...documentation },
    `must be a date from 1900 to a year from now, such as ${rule}`,
    // The first month and day complete a year or a month.
    (value) => typeof value === "string" && pattern.test(value) && isDate(`${value}-01-01`.slice(0, 10)),
  );
};

const currencies = once(() => new Set(Intl.supportedValuesOf("currency")));

/** A response may have more members in a later version. */
const objectOf = (name: string, description: string, properties: Record<string, TSchema>): Member => ({
  schema: t.Object(properties, { $id: `${name}Document`, additionalProperties: false, description }),
  returned: t.Object(properties, { $id: name, description }),
});

const fee = objectOf("Fee", "The adoption fee.", {
  amount: IntegerFrom(0, 1_000_000_000, {
    description: "In minor units of the currency, such as cents.",
    examples: [15_000],
  }),
  currency: checked<string>(
    "Currency",
    { type: "string", pattern: "^[A-Z]{3}$", description: "The currency, by ISO 4217.", examples: ["EUR"] },
    "must be a currency code of ISO 4217, such as EUR",
    (value) => typeof value === "string" && currencies().has(value),
  ),
});

const answer = t.Optional(wordOf(["yes", "no", "unknown"], "Whether the animal gets along with them."));

const goodWith = objectOf("GoodWith", "Whom the animal gets along with.", {
  children: answer,
  dogs: answer,
  cats: answer,
});

const MAX_REFERENCE_LENGTH = 100;
const ReferenceText = line(
  MAX_REFERENCE_LENGTH,
  "The shelter's own number of the animal, which no other animal has. An integer is returned as a text.",
  "A-0173",
);

/** A reference as it is stored: two forms of one letter are the same. */
export const referenceOf = (value: unknown): unknown =>
  typeof value === "string" ? value.normalize("NFC") : (bigintOf(value)?.toString() ?? value);

const Reference = checked<string>(
  "Reference",
  { anyOf: [ReferenceText, { type: "integer" }], description: ReferenceText.description },
  `must be an integer, or a line of 1 to ${MAX_REFERENCE_LENGTH} visible characters`,
  (value) => isLine(referenceOf(value), MAX_REFERENCE_LENGTH),
);

const CustomValue = t.Union([t.String(), Type.Number(), Type.Boolean()], {
  [Rule]: "must be a text, a number, true or false",
});

const Custom = t.Object(
  {},
  {
    additionalProperties: CustomValue,
    description: "The values of custom fields, by the names of the fields: see `GET /fields`.",
    examples: [{ coat: "long" }],
  },
);

/** The members of a profile, in the order of responses. */
export const MEMBERS = {
  description: {
    schema: lines(10_000, "For adopters, in CommonMark. HTML is shown as text.", "A *calm* dog."),
  },
  sex: { schema: wordOf(["female", "male", "unknown"], "The animal's sex.") },
  birthDate: {
    schema: dateOf(PARTIAL_DATE, "2024, 2024-05 or 2024-05-17", {
      description: "The date of birth as far as it is known: a year, a month or a day.",
      examples: ["2024-05"],
    }),
  },
  birthDateEstimated: { schema: YesOrNo("Whether the date of birth is a guess.", true) },
  breeds: {
    schema: ListOf(line(80, "A breed.", "Beagle"), { max: 4, description: "The main breed first." }),
  },
  colour: { schema: line(100, "The colour of the coat.", "black and white") },
  size: { schema: wordOf(["small", "medium", "large", "extra_large"], "The animal's size.") },
  weightGrams: { schema: IntegerFrom(1, 2_000_000, { description: "In grams.", examples: [12_400] }) },
  neutered: { schema: YesOrNo("Whether the animal is spayed or neutered.", true) },
  vaccinated: { schema: YesOrNo("Whether the vaccinations are up to date.", true) },
  microchip: { schema: line(40, "The number of the microchip. It is not public.", "276098100000001") },
  goodWith,
  specialNeeds: { schema: lines(2000, "The care that the animal needs.", "Eye drops twice a day.") },
  fee,
  location: { schema: line(100, "The animal's place in the shelter or elsewhere.", "Kennel 4") },
  arrivedOn: {
    schema: dateOf(DATE, "2024-05-17", {
      description: "The day on which the animal arrived.",
      examples: ["2026-10-02"],
    }),
  },
  reference: { schema: Reference, returned: ReferenceText },
  notes: { schema: lines(4000, "Notes for the shelter. They are not public.", "Found at the station.") },
  tags: { schema: ListOf(line(50, "A tag.", "playful"), { max: 20, description: "Words for a search." }) },
  custom: { schema: Custom },
} satisfies Record<string, Member>;

export const MEMBER_NAMES = Object.keys(MEMBERS) as (keyof typeof MEMBERS)[];

/** The schema of each member, as an optional one. */
export const membersAs = (schemaOf: (member: Member) => TSchema): Record<string, TSchema> =>
  Object.fromEntries(MEMBER_NAMES.map((name) => [name, t.Optional(schemaOf(MEMBERS[name]))]));
