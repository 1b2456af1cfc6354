import type { components } from "../../../../client/types/store.d.ts";
import type { Int64 } from "../api/client.ts";
import { type FormWords, NAME, type Tone, formatCount, pluralize } from "../parts/wording.ts";
import { addressOf, integerOf, isOneOf, onPage } from "../parts/address.ts";
import type { Photo, Profile, ProfileDraft } from "./profile.ts";
import { type Category, categoryOf } from "../categories/category.ts";

/** An animal as the API sends it. Events and changes have neither profile nor photos. */
export type Animal = components["schemas"]["Pet"] & { profile?: Profile; photos?: Photo[] };
export type NewAnimal = components["schemas"]["NewPet"];
/** A merge patch (RFC 7396). A status of null clears it. */
export type AnimalChange = components["schemas"]["PetChange"];

/** An animal with its ETag, which identifies this version of it. */
export interface AnimalVersion {
  animal: Animal;
  tag: string;
}

/** An animal and its profile, with the ETag of each. */
export interface WholeVersion extends AnimalVersion {
  profile: Profile;
  profileTag: string;
}

export type Status = components["schemas"]["PetStatus"];

export const STATUSES = ["available", "pending", "sold"] as const satisfies readonly Status[];

/** The names that people read. The API calls an adopted animal `sold`. */
export const STATUS_NAMES: Record<Status, string> = {
  available: "available",
  pending: "pending",
  sold: "adopted",
};

export const TONES: Record<Status, Tone> = { available: "good", pending: "waiting", sold: "quiet" };

export const isStatus = (text: unknown): text is Status => isOneOf(STATUSES, text);

export const NO_STATUS = "No status";

export const STATUS_OPTIONS = [
  ["", NO_STATUS],
  ["available", "Available"],
  ["pending", "Pending"],
  ["sold", "Adopted"],
] as const;

export const categoryNo = (id: Int64 | string): string => `Category ${id}`;

/** What an edit has changed, or that it has changed more than one thing. */
export const editedWords = (
  before: Animal,
  now: Animal,
  categoryName: string,
  isProfileChanged = false,
): string => {
  const name = `“${now.name}”`;
  const changes: string[] = isProfileChanged ? [`The profile of ${name} changed`] : [];
  if (before.name !== now.name) changes.push(`“${before.name}” renamed to ${name}`);
  if (before.status !== now.status)
    changes.push(
      now.status ? `${name} is now ${STATUS_NAMES[now.status]}` : `${name} no longer has a status`,
    );
  if (String(before.categoryId) !== String(now.categoryId))
    changes.push(`${name} moved to “${categoryName}”`);
  const [only = "Nothing changed"] = changes;
  return changes.length > 1 ? `${name} changed` : only;
};

export const HELD = "This animal has an open adoption. Complete or cancel the adoption first.";

export const FIELDS: FormWords = {
  name: NAME,
  categoryId: {
    missing: "Choose a category from the list, or create it.",
    otherwise: "Choose a category from the list, or create it.",
    rules: { not_found: "This category no longer exists. Choose another." },
  },
  status: { rules: { conflict: HELD } },
};

export interface Draft {
  name: string;
  category: string;
  /** "": no status. */
  status: string;
}

/** The members of the profile have names such as `sex` and `goodWith.dogs`. */
export type AnimalDraft = Draft & ProfileDraft;

export const EMPTY_DRAFT: Draft = { name: "", category: "", status: "available" };

export const draftOf = ({ name, categoryId, status }: Omit<Animal, "id">): Draft => ({
  name,
  category: String(categoryId),
  status: status ?? "",
});

export const newAnimalOf = ({ name, category, status }: Draft): NewAnimal => ({
  name,
  categoryId: integerOf(category),
  ...(status && { status: status as Status }),
});

/** The change from one to the other: only the fields that differ. */
export const changeOf = (before: Animal, after: NewAnimal): AnimalChange => ({
  ...(after.name !== before.name && { name: after.name }),
  // Either may be a bigint, with the same digits.
  ...(String(after.categoryId) !== String(before.categoryId) && { categoryId: after.categoryId }),
  ...(after.status !== before.status && { status: after.status ?? null }),
});

/** True if a change changes nothing. */
export const isEmpty = (change: object): boolean => Object.keys(change).length === 0;

/** The animals to show: those that match every field. */
export interface Filter {
  status?: Status | undefined;
  /** Each word begins a word of the name, or is the animal's id. */
  q?: string | undefined;
  /** The id of their category, in plain digits: a double may not hold it. */
  category?: string | undefined;
}

const SORTS = ["-id", "id", "name", "-name"] as const;
export type Sort = (typeof SORTS)[number];

/** The newest first: new animals are what people work with. */
export const DEFAULT_SORT: Sort = "-id";

export interface View extends Filter {
  sort?: Sort | undefined;
  /** By default, a table. */
  as?: "pictures" | undefined;
}

/** Reads the list from an address. Malformed fields are left out, and so is the default order. */
export const viewOf = (query: Record<string, string | undefined>): View => {
  const { status, q, category, sort, as } = query;
  return {
    status: isStatus(status) ? status : undefined,
    q: q?.trim() ? q : undefined,
    category: category && /^-?\d{1,30}$/.test(category) ? String(BigInt(category)) : undefined,
    sort: isOneOf(SORTS, sort) && sort !== DEFAULT_SORT ? sort : undefined,
    as: as === "pictures" ? as : undefined,
  };
};

/** True if the animal's status and category match. Only the API can evaluate a search. */
export const mayMatch = ({ status, category }: Filter, animal: Animal): boolean =>
  (status === undefined || animal.status === status) &&
  (category === undefined || String(animal.categoryId) === category);

/** True if the animal certainly matches. */
export const letsThrough = (filter: Filter, animal: Animal): boolean =>
  filter.q === undefined && mayMatch(filter, animal);

/** True if the filter has more than a status. */
export const isNarrow = ({ q, category }: Filter): boolean => q !== undefined || category !== undefined;

const queryOf = ({ status, q, category, sort, as }: View) => ({
  status,
  q,
  category,
  sort: sort === DEFAULT_SORT ? undefined : sort,
  as,
});

/** The address of the list, or of an action that is shown above it. */
export const animalsPath = (view: View = {}, ...parts: (string | number)[]): string =>
  addressOf(["/console/animals", ...parts].join("/"), queryOf(view));

/** The address of an animal's own page, or of an action that is shown above it. The list to go back to is kept. */
export const animalPath = (id: number, view: View = {}, ...parts: string[]): string =>
  addressOf(["/console/animals", id, ...parts].join("/"), {
    ...queryOf(view),
    ...onPage(parts),
  });

/** A category that an animal can have. Without a name it is only an id: the API accepts any. */
type Choosable = { kind: "category"; id: string; name: string } | { kind: "number"; id: string };

/** A suggestion of the category field. */
export type CategoryOption = Choosable | { kind: "create"; name: string };

const fold = (text: string): string => text.normalize("NFKC").toLowerCase().trim().replaceAll(/\s+/gu, " ");

const named = ({ id, name }: Category): Choosable => ({ kind: "category", id: String(id), name });

const numbered = (categories: readonly Category[], text: string): Choosable | undefined => {
  const id = integerOf(text);
  if (typeof id !== "bigint") return undefined;
  const known = categoryOf(categories, id);
  return known ? named(known) : { kind: "number", id: String(id) };
};

const withName = (categories: readonly Category[], text: string): Category | undefined =>
  categories.find(({ name }) => fold(name) === fold(text));

/** The category that a text names: by its whole name, or by its number. */
export const exactOption = (categories: readonly Category[], text: string): Choosable | undefined => {
  const known = withName(categories, text);
  return known ? named(known) : numbered(categories, text);
};

/** Suggestions for a text: categories whose names contain it, the category with this number, and a new category. */
export const optionsFor = (categories: readonly Category[], text: string): readonly CategoryOption[] => {
  const folded = fold(text);
  const matching = categories.filter(({ name }) => fold(name).includes(folded));
  const number = numbered(categories, text);
  const isListed = number && matching.some(({ id }) => String(id) === number.id);
  const isNew = folded !== "" && !withName(categories, text);
  return [
    ...matching.map(named),
    ...(number && !isListed ? [number] : []),
    ...(isNew ? [{ kind: "create", name: text.trim() } as const] : []),
  ];
};

export type Statistics = components["schemas"]["Statistics"];
export type Day = Statistics["addedByDay"][number];

const days = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "long", timeZone: "UTC" });

/** "20 November" @param date such as 2026-11-20 */
export const dayName = (date: string): string => days.format(new Date(date));

export const chartWords = (days: readonly Day[]): string => {
  const sum = days.reduce((sum, { count }) => sum + count, 0);
  if (sum === 0) return "No animals were added.";
  const most = days.reduce((most, day) => (day.count > most.count ? day : most));
  const added = `${pluralize(sum, "animal")} ${sum === 1 ? "was" : "were"} added`;
  return sum === most.count
    ? `${added} on ${dayName(most.date)}.`
    : `${added}, the most on ${dayName(most.date)}: ${formatCount(most.count)}.`;
};

/** The bar of a day, in a coordinate system of `days.length` by 1 with its origin at the top left. */
interface Bar {
  day: Day;
  x: number;
  y: number;
  width: number;
  height: number;
}

/** The space between bars, as a share of a day's width. */
const GAP = 0.2;
/** The height of the smallest bar, as a share of the whole, so that it can be seen. */
const MIN_HEIGHT = 0.04;

/** The bars of the chart; days without animals have none. */
export const barsOf = (days: readonly Day[]): Bar[] => {
  const most = Math.max(...days.map(({ count }) => count));
  return days.flatMap((day, index) => {
    if (day.count === 0) return [];
    const height = Math.max(MIN_HEIGHT, day.count / most);
    return [{ day, x: index + GAP / 2, y: 1 - height, width: 1 - GAP, height }];
  });
};

export const countOf = ({ total, byStatus }: Statistics, status: Status | undefined): number =>
  status ? byStatus[status] : total;
