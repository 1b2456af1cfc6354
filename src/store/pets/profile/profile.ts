import type { Field } from "../fields/field.ts";

/** The members of a profile, by their names in the API. */
export type Members = Readonly<Record<string, unknown>>;

/** What is known of an animal beyond its name, category and status. */
export interface Profile {
  createdAt: number;
  updatedAt: number;
  members: Members;
}

const isObject = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value);

/** Applies a JSON merge patch (RFC 7396). */
export const mergePatch = (target: unknown, patch: unknown): unknown => {
  if (!isObject(patch)) return patch;
  const merged = new Map(Object.entries(isObject(target) ? target : {}));
  for (const [name, value] of Object.entries(patch))
    if (value === null) merged.delete(name);
    else merged.set(name, mergePatch(merged.get(name), value));
  return Object.fromEntries(merged);
};

/** Custom values under another key of their field. Values without a field are left out. */
const rekeyed = (values: unknown, fields: readonly Field[], from: "id" | "name", to: "id" | "name") => {
  const given = new Map(Object.entries(isObject(values) ? values : {}));
  const known = fields.filter((field) => given.has(String(field[from])));
  return (
    known.length > 0 && Object.fromEntries(known.map((field) => [field[to], given.get(String(field[from]))]))
  );
};

/** Members as stored: JSON with custom values by the ids of their fields, so that a renamed field keeps them. */
export const toStored = ({ custom, ...members }: Members, fields: readonly Field[]): string => {
  const values = rekeyed(custom, fields, "name", "id");
  return JSON.stringify(values ? { ...members, custom: values } : members);
};

/** @returns undefined if the text is damaged */
export const fromStored = (text: string, fields: readonly Field[]): Members | undefined => {
  let stored: unknown;
  try {
    stored = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(stored)) return undefined;
  const { custom, ...members } = stored;
  const values = rekeyed(custom, fields, "id", "name");
  return values ? { ...members, custom: values } : members;
};

const flat = ({ custom, ...members }: Members): Members => ({
  ...members,
  ...(isObject(custom) &&
    Object.fromEntries(Object.entries(custom).map(([name, value]) => [`custom.${name}`, value]))),
});

/** The names of the members that differ, such as `sex` and `custom.coat`. */
export const changedMembers = (before: Members, after: Members): string[] => {
  const [from, to] = [flat(before), flat(after)];
  const names = new Set([...Object.keys(from), ...Object.keys(to)]);
  return [...names].filter((name) => !Bun.deepEquals(from[name], to[name]));
};
