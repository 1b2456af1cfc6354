import type { components } from "../../../../client/types/store.d.ts";
import { type FormWords, pluralize } from "../parts/wording.ts";

export type Profile = components["schemas"]["Profile"];
export type CustomField = components["schemas"]["Field"];
export type Photo = components["schemas"]["Photo"];

/** Choices: each value with its words. */
type Options = readonly (readonly [value: string, words: string])[];

/** A member of a profile: its name in a draft, and how people read and write it. */
export interface Member {
  /** A name such as `goodWith.dogs` or `custom.coat` is of a member inside another. */
  name: string;
  label: string;
  /** By default, a line of text. */
  kind?: "lines" | "list" | "number" | "kilograms" | "boolean" | "date";
  options?: Options;
  isPublic?: false;
  hint?: string;
}

const ANSWERS = Object.entries({ yes: "Yes", no: "No", unknown: "Not tried" });
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
  { name: "neutered", label: "Neutered", kind: "boolean" },
  { name: "birthDate", label: "Born", hint: "A year, a month or a day: 2024, 2024-05 or 2024-05-17." },
  { name: "birthDateEstimated", label: "Date of birth is estimated", kind: "boolean" },
  { name: "breeds", label: "Breed", kind: "list", hint: "Up to 4. Put commas between them." },
  { name: "colour", label: "Colour" },
  { name: "size", label: "Size", options: SIZES },
  { name: "weightGrams", label: "Weight", kind: "kilograms", hint: "In kilograms, such as 3.8." },
  { name: "vaccinated", label: "Vaccinated", kind: "boolean" },
  { name: "microchip", label: "Microchip", isPublic: false },
  { name: "goodWith.children", label: "Good with children", options: ANSWERS },
  { name: "goodWith.dogs", label: "Good with dogs", options: ANSWERS },
  { name: "goodWith.cats", label: "Good with cats", options: ANSWERS },
  { name: "arrivedOn", label: "Arrived", kind: "date" },
  { name: "reference", label: "Number", hint: "The shelter's own number of the animal." },
  { name: "location", label: "Place" },
  { name: "fee.amount", label: "Fee", hint: "Such as 120 or 99.50." },
  { name: "fee.currency", label: "Currency", hint: "Its code, such as EUR." },
  { name: "tags", label: "Tags", kind: "list", hint: "Up to 20. Put commas between them." },
  { name: "specialNeeds", label: "Special needs", kind: "lines" },
  { name: "description", label: "Description", kind: "lines", hint: "For adopters." },
  { name: "notes", label: "Notes", kind: "lines", isPublic: false },
];

const memberOf = ({ name, label, kind, choices, public: isPublic }: CustomField): Member => ({
  name: `custom.${name}`,
  label,
  ...(kind === "text" && { kind: "lines" as const }),
  ...(kind !== "text" && kind !== "choice" && { kind }),
  ...(choices && { options: choices.map((choice) => [choice, choice] as const) }),
  ...(!isPublic && { isPublic }),
});

/** All members, those of the custom fields last. */
export const membersWith = (fields: readonly CustomField[]): readonly Member[] => [
  ...MEMBERS,
  ...fields.map(memberOf),
];

/** The choices of a member; undefined if it has none. */
export const optionsOf = ({ kind, options }: Member): Options | undefined =>
  kind === "boolean" ? YES_OR_NO : options;

const valueAt = (profile: object, path: string): unknown =>
  path
    .split(".")
    .reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], profile);

/** The digits of a currency after the point: 2 for EUR, 0 for JPY. 2 if the code is unknown. */
const digitsOf = (currency: string): number => {
  try {
    const format = new Intl.NumberFormat("en", { style: "currency", currency });
    return format.resolvedOptions().maximumFractionDigits ?? 2;
  } catch {
    return 2;
  }
};

/** The text of each member by its name, as a form shows it; "" if it is absent. */
export type ProfileDraft = Readonly<Record<string, string>>;

const textOf = (profile: Profile, { name, kind }: Member): string => {
  const value = valueAt(profile, name);
  if (value === undefined) return "";
  if (name === "fee.amount" && profile.fee) {
    const digits = digitsOf(profile.fee.currency);
    return (profile.fee.amount / 10 ** digits).toFixed(digits);
  }
  if (kind === "kilograms") return String(Number(value) / 1000);
  return Array.isArray(value) ? value.join(", ") : `${value as string | number | boolean}`;
};

export const profileDraftOf = (profile: Profile, members: readonly Member[]): ProfileDraft =>
  Object.fromEntries(members.map((member) => [member.name, textOf(profile, member)]));

/** Decimals beyond these are errors of binary arithmetic: 1.1 * 100 is 110.00000000000001. */
const EXACT_DECIMALS = 6;

/** Other text is sent unchanged, and the API reports the error. */
const numberOf = (text: string, factor = 1): number | string => {
  const plain = text.replace(",", ".");
  if (!/^-?\d+(\.\d+)?$/.test(plain)) return text;
  return factor === 1 ? Number(plain) : Number((Number(plain) * factor).toFixed(EXACT_DECIMALS));
};

const jsonOf = (draft: ProfileDraft, { name, kind }: Member): unknown => {
  const text = (draft[name] ?? "").trim();
  if (text === "") return null;
  if (name === "fee.amount") return numberOf(text, 10 ** digitsOf(draft["fee.currency"] ?? ""));
  if (kind === "number") return numberOf(text);
  if (kind === "kilograms") return numberOf(text, 1000);
  if (kind === "boolean") return text === "true";
  if (kind !== "list") return text;
  return text
    .split(",")
    .map((item) => item.trim())
    .filter(Boolean);
};

const DATE_RULES = { maximum: "Enter a date that is at most a year from now." };

/** The texts of a form about its members. */
export const profileWords = (members: readonly Member[]): FormWords =>
  Object.fromEntries(
    members.map(({ name, kind, hint }) => {
      const rules = kind === "date" || name === "birthDate" ? DATE_RULES : undefined;
      return [name, { ...(rules && { rules }), ...(hint && name !== "reference" && { otherwise: hint }) }];
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
  const isFee = ({ name }: Member) => name.startsWith("fee.");
  const changed = members.filter(({ name }) => (before[name] ?? "") !== (after[name] ?? ""));
  // An amount depends on its currency.
  const sent = changed.some(isFee) ? members.filter((one) => isFee(one) || changed.includes(one)) : changed;
  for (const member of sent) {
    const [name = "", inner] = member.name.split(".");
    const value = jsonOf(after, member);
    change[name] = inner === undefined ? value : { ...(change[name] as object), [inner]: value };
  }
  const isWithoutFee = after["fee.amount"] === "" && (before["fee.amount"] !== "" || !after["fee.currency"]);
  if (change["fee"] && isWithoutFee) change["fee"] = null;
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
  const [year, month, day] = (birthDate ?? "").split("-").map(Number);
  if (!year) return undefined;
  const about = isEstimated || !month ? "about " : "";
  const years = now.getFullYear() - year;
  if (!month)
    return years > 0 ? `${about}${pluralize(years, "year")}` : years === 0 ? "under a year" : undefined;
  const months = years * 12 + now.getMonth() + 1 - month - (day !== undefined && day > now.getDate() ? 1 : 0);
  const weeks = day === undefined ? MAX_WEEKS : Math.floor(daysSince(birthDate!, now) / 7);
  if (months < 0 || weeks < 0) return undefined;
  if (weeks < MAX_WEEKS) return `${about}${pluralize(weeks, "week")}`;
  return months < MAX_MONTHS
    ? `${about}${pluralize(months, "month")}`
    : `${about}${pluralize(Math.floor(months / 12), "year")}`;
};

/** "2024", "May 2024" or "17 May 2024". */
export const formatDate = (date: string): string => {
  const parts = { year: "numeric", month: "long", day: "numeric" } as const;
  const known = Object.entries(parts).slice(0, date.split("-").length);
  return new Intl.DateTimeFormat("en-GB", { ...Object.fromEntries(known), timeZone: "UTC" }).format(
    new Date(date),
  );
};

const formatFee = ({ amount, currency }: NonNullable<Profile["fee"]>): string =>
  new Intl.NumberFormat("en", { style: "currency", currency, trailingZeroDisplay: "stripIfInteger" }).format(
    amount / 10 ** digitsOf(currency),
  );

const born = (profile: Profile, now: Date): string => {
  const { birthDate = "", birthDateEstimated } = profile;
  const age = ageOf(profile, now);
  const date = `${formatDate(birthDate)}${birthDateEstimated ? ", estimated" : ""}`;
  return age ? `${date} (${age})` : date;
};

const arrived = (date: string, isHere: boolean, now: Date): string => {
  const days = daysSince(date, now);
  return isHere && days >= 0 ? `${formatDate(date)} (${pluralize(days, "day")} here)` : formatDate(date);
};

interface Fact {
  name: string;
  words: string;
  isPublic: boolean;
}

/** Shown elsewhere, or with another member. */
const ELSEWHERE: ReadonlySet<string> = new Set(["birthDateEstimated", "fee.currency", "description"]);

/** The facts that are known of an animal, as people read them. @param isHere false once it is adopted */
export const factsOf = (
  profile: Profile,
  fields: readonly CustomField[],
  { isHere, now }: { isHere: boolean; now: Date },
): readonly Fact[] => {
  const wordsOf = (member: Member): string => {
    const { name, kind } = member;
    const text = textOf(profile, member);
    if (name === "birthDate") return born(profile, now);
    if (name === "arrivedOn") return arrived(text, isHere, now);
    if (name === "fee.amount") return formatFee(profile.fee!);
    if (kind === "kilograms") return `${text} kg`;
    if (kind === "date") return formatDate(text);
    return optionsOf(member)?.find(([value]) => value === text)?.[1] ?? text;
  };
  return membersWith(fields)
    .filter((member) => !ELSEWHERE.has(member.name) && textOf(profile, member) !== "")
    .map((member) => ({ name: member.label, words: wordsOf(member), isPublic: member.isPublic !== false }));
};

/** "Female · 2 years · Domestic shorthair" */
export const summaryOf = (profile: Profile, now: Date): string => {
  const { sex, breeds = [] } = profile;
  return [sex && sex !== "unknown" && SEX_NAMES[sex], ageOf(profile, now), breeds.join(", ")]
    .filter(Boolean)
    .join(" · ");
};
