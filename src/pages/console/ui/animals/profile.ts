import type { components } from "../../../../client/types/store.d.ts";
import { type Options, type FormWords, pluralize } from "../parts/wording.ts";

export type Profile = components["schemas"]["Profile"];
export type CustomField = components["schemas"]["Field"];
export type Photo = components["schemas"]["Photo"];

/** A member of a profile: its name in a draft, and how people read and write it. */
export interface Member {
  /** A name such as `goodWith.dogs` or `custom.coat` is of a member inside another. */
  name: string;
  label: string;
  /** By default, a line of text. */
  kind?: CustomField["kind"] | "list" | "kilograms" | "money";
  options?: Options | undefined;
  /** Adopters do not see it. */
  isPrivate?: boolean;
  hint?: string;
}

export const ANSWERS = Object.entries({ yes: "Yes", no: "No", unknown: "Not tried" });
const YES_OR_NO = Object.entries({ true: "Yes", false: "No" });
const SIZES = Object.entries({
  small: "Small",
  medium: "Medium",
  large: "Large",
  extra_large: "Extra large",
});
const SEX_NAMES = { female: "Female", male: "Male", unknown: "Unknown" };

/** In the order of the form. */
export const MEMBERS: readonly Member[] = [
  { name: "sex", label: "Sex", options: Object.entries(SEX_NAMES) },
  { name: "neutered", label: "Neutered", kind: "boolean", options: YES_OR_NO },
  { name: "birthDate", label: "Born", hint: "A year, a month or a day: 2024, 2024-05 or 2024-05-17." },
  { name: "birthDateEstimated", label: "Date of birth is estimated", kind: "boolean", options: YES_OR_NO },
  { name: "breeds", label: "Breed", kind: "list", hint: "Up to 4. Put commas between them." },
  { name: "colour", label: "Colour" },
  { name: "size", label: "Size", options: SIZES },
  { name: "weightGrams", label: "Weight", kind: "kilograms", hint: "In kilograms, such as 3.8." },
  { name: "vaccinated", label: "Vaccinated", kind: "boolean", options: YES_OR_NO },
  { name: "microchip", label: "Microchip", isPrivate: true },
  { name: "goodWith.children", label: "Good with children", options: ANSWERS },
  { name: "goodWith.dogs", label: "Good with dogs", options: ANSWERS },
  { name: "goodWith.cats", label: "Good with cats", options: ANSWERS },
  { name: "arrivedOn", label: "Arrived", kind: "date" },
  { name: "reference", label: "Number", hint: "The shelter's own number of the animal." },
  { name: "location", label: "Place" },
  { name: "fee", label: "Fee", kind: "money", hint: "With its currency, such as 99.50 EUR." },
  { name: "tags", label: "Tags", kind: "list", hint: "Up to 20. Put commas between them." },
  { name: "specialNeeds", label: "Special needs", kind: "text" },
  { name: "description", label: "Description", kind: "text", hint: "For adopters." },
  { name: "notes", label: "Notes", kind: "text", isPrivate: true },
];

const memberOf = ({ name, label, kind, choices, public: isPublic }: CustomField): Member => ({
  name: `custom.${name}`,
  label,
  kind,
  isPrivate: !isPublic,
  options: kind === "boolean" ? YES_OR_NO : choices?.map((choice) => [choice, choice]),
});

/** All members, those of the custom fields last. */
export const membersWith = (fields: readonly CustomField[]): readonly Member[] => [
  ...MEMBERS,
  ...fields.map(memberOf),
];

const valueAt = (profile: object, path: string): unknown =>
  path
    .split(".")
    .reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], profile);

/** The digits of a currency after the point: 2 for EUR, 0 for JPY. 2 if the code is unknown. */
const digitsOf = (currency: string): number =>
  new Intl.NumberFormat("en", { style: "currency", currency }).resolvedOptions().maximumFractionDigits ?? 2;

/**
 * A number times a power of ten. Other text is sent unchanged, and the API reports the error. An exponent is exact:
 * 1.1 * 100 is 110.00000000000001.
 */
const numberOf = (text: string, exponent = 0): number | string => {
  const plain = text.replace(",", ".");
  return /^-?\d+(\.\d+)?$/.test(plain) ? Number(`${plain}e${exponent}`) : text;
};

type Fee = NonNullable<Profile["fee"]>;

/** "120.00 EUR" */
const feeText = ({ amount, currency }: Fee): string => {
  const digits = digitsOf(currency);
  return `${(amount / 10 ** digits).toFixed(digits)} ${currency}`;
};

const feeOf = (text: string): object | string => {
  const [, amount, currency] = /^(\S+)\s*([A-Z]{3})$/.exec(text.toUpperCase()) ?? [];
  return amount && currency ? { amount: numberOf(amount, digitsOf(currency)), currency } : text;
};

/** The text of each member by its name, as a form shows it; "" if it is absent. */
export type ProfileDraft = Readonly<Record<string, string>>;

const textOf = (profile: Profile, { name, kind }: Member): string => {
  const value = valueAt(profile, name);
  if (value === undefined) return "";
  if (kind === "money") return feeText(value as Fee);
  if (kind === "kilograms") return String(Number(value) / 1000);
  return Array.isArray(value) ? value.join(", ") : `${value as string | number | boolean}`;
};

const jsonOf = (text: string, kind: Member["kind"]): unknown => {
  if (text === "") return null;
  if (kind === "money") return feeOf(text);
  if (kind === "number") return numberOf(text);
  if (kind === "kilograms") return numberOf(text, 3);
  if (kind === "boolean") return text === "true";
  return kind === "list" ? text.split(/\s*,\s*/).filter(Boolean) : text;
};

export const profileDraftOf = (profile: Profile, members: readonly Member[]): ProfileDraft =>
  Object.fromEntries(members.map((member) => [member.name, textOf(profile, member)]));

const DATE_RULES = { maximum: "Enter a date that is at most a year from now." };

/** The texts of a form about its members. */
export const profileWords = (members: readonly Member[]): FormWords =>
  Object.fromEntries(
    members.map(({ name, kind, hint }) => {
      const rules = kind === "date" || name === "birthDate" ? DATE_RULES : {};
      return [name, { rules, ...(hint && name !== "reference" && { otherwise: hint }) }];
    }),
  );

/** A merge patch (RFC 7396). */
export type ProfileChange = components["schemas"]["ProfileChange"];

/** The change from one draft to another: only the members that differ. */
export const profileChangeOf = (
  before: ProfileDraft,
  after: ProfileDraft,
  members: readonly Member[],
): ProfileChange => {
  const change: Record<string, unknown> = {};
  for (const { name: path, kind } of members) {
    const text = after[path] ?? "";
    if (text === (before[path] ?? "")) continue;
    const [name = "", inner] = path.split(".");
    const value = jsonOf(text.trim(), kind);
    change[name] = inner === undefined ? value : { ...(change[name] as object), [inner]: value };
  }
  return change;
};

const DAY_MS = 86_400_000;

/** The days from a date to the user's today; negative for a date to come. @param date such as 2026-11-20 */
export const daysSince = (date: string, now: Date): number =>
  (Date.UTC(now.getFullYear(), now.getMonth(), now.getDate()) - Date.parse(date)) / DAY_MS;

/** Ages below this are in weeks, if the day of birth is known. */
const MAX_WEEKS = 14;
/** Ages below this are in months. */
const MAX_MONTHS = 24;

/** "2 years", "about 5 months", "11 weeks": as exact as the date of birth. Undefined for a date to come. */
export const ageOf = (
  { birthDate, birthDateEstimated: isEstimated = false }: Pick<Profile, "birthDate" | "birthDateEstimated">,
  now: Date,
): string | undefined => {
  const [year = 0, month = 0, day = 0] = (birthDate ?? "").split("-").map(Number);
  if (!birthDate) return undefined;
  const years = now.getFullYear() - year;
  const months = years * 12 + (month && now.getMonth() + 1 - month) - (day > now.getDate() ? 1 : 0);
  const weeks = day === 0 ? MAX_WEEKS : Math.floor(daysSince(birthDate, now) / 7);
  if (months < 0 || weeks < 0) return undefined;
  if (month === 0 && years === 0) return "under a year";
  const about = isEstimated || month === 0 ? "about " : "";
  if (weeks < MAX_WEEKS) return `${about}${pluralize(weeks, "week")}`;
  const isInMonths = month > 0 && months < MAX_MONTHS;
  return about + (isInMonths ? pluralize(months, "month") : pluralize(Math.floor(months / 12), "year"));
};

/** "2024", "May 2024" or "17 May 2024". */
export const formatDate = (date: string): string => {
  const [, month, day] = date.split("-");
  return new Date(date).toLocaleDateString("en-GB", {
    year: "numeric",
    month: month && "long",
    day: day && "numeric",
    timeZone: "UTC",
  } as Intl.DateTimeFormatOptions);
};

const formatFee = ({ amount, currency }: Fee): string =>
  new Intl.NumberFormat("en", { style: "currency", currency, trailingZeroDisplay: "stripIfInteger" }).format(
    amount / 10 ** digitsOf(currency),
  );

const born = (profile: Profile, now: Date): string => {
  const { birthDate = "", birthDateEstimated } = profile;
  const age = ageOf(profile, now);
  return `${formatDate(birthDate)}${birthDateEstimated ? ", estimated" : ""}${age ? ` (${age})` : ""}`;
};

const arrived = (date: string, isHere: boolean, now: Date): string => {
  const days = daysSince(date, now);
  return `${formatDate(date)}${isHere && days >= 0 ? ` (${pluralize(days, "day")} here)` : ""}`;
};

/** Shown elsewhere, or with another member. */
const ELSEWHERE: ReadonlySet<string> = new Set(["birthDateEstimated", "description"]);

/** The members that are facts: lines of an animal's card, and columns of the list. */
export const factsWith = (fields: readonly CustomField[]): readonly Member[] =>
  membersWith(fields).filter(({ name }) => !ELSEWHERE.has(name));

/** A fact as people read it; "" if it is not known. @param isHere false once the animal is adopted */
export const factOf = (
  profile: Profile,
  member: Member,
  { isHere, now }: { isHere: boolean; now: Date },
): string => {
  const { name, kind, options } = member;
  const text = textOf(profile, member);
  if (text === "") return "";
  if (name === "birthDate") return born(profile, now);
  if (name === "arrivedOn") return arrived(text, isHere, now);
  if (kind === "money") return formatFee(profile.fee!);
  if (kind === "kilograms") return `${text} kg`;
  if (kind === "date") return formatDate(text);
  return options?.find(([value]) => value === text)?.[1] ?? text;
};

/** The facts that a user has chosen as columns. @param names separated by spaces; unknown ones are ignored */
export const chosenFacts = (facts: readonly Member[], names: string): readonly Member[] =>
  facts.filter(({ name }) => names.split(" ").includes(name));

/** The choice with a fact that it does not have yet, or else without it. */
export const toggleFact = (names: string, name: string): string =>
  [...new Set(names.split(" ")).symmetricDifference(new Set([name]))].join(" ");

/** "Female · 2 years · Domestic shorthair" */
export const summaryOf = (profile: Profile, now: Date): string => {
  const { sex, breeds = [] } = profile;
  return [sex && sex !== "unknown" && SEX_NAMES[sex], ageOf(profile, now), breeds.join(", ")]
    .filter(Boolean)
    .join(" · ");
};
