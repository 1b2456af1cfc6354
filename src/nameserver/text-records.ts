import type { AddedRecords } from "../protocols/dns-server/zone.ts";
import { canonicalName } from "../lib/dns-name.ts";
import { txtSet } from "../protocols/dns-server/records.ts";

/** Seconds. So short, because a CA may query again as soon as another value is added. */
const TTL = 1;

/**
 * TXT records by name, such as those of ACME challenges. They are served at once, and are lost when the process ends. Names
 * outside the zones are not served.
 * @param stored values that the database has for a name: other processes serve them too
 */
export const textRecords = (stored: (name: string) => readonly string[] = () => []) => {
  const values = new Map<string, Set<string>>();
  const isAbove = (name: string): boolean => [...values.keys()].some((owner) => owner.endsWith(`.${name}`));
  const added: AddedRecords = (name) => {
    const texts = new Set([...(values.get(name) ?? []), ...stored(name)]);
    if (texts.size > 0) return [txtSet(TTL, texts)];
    return isAbove(name) ? [] : undefined;
  };
  return {
    /** The record sets for zones. */
    added,
    /** Adds a record beside those that the name has. @param name in A-labels */
    add(name: string, value: string): void {
      const owner = canonicalName(name);
      values.set(owner, (values.get(owner) ?? new Set()).add(value));
    },
    /** Removes a record, if it exists. */
    remove(name: string, value: string): void {
      const owner = canonicalName(name);
      const texts = values.get(owner);
      texts?.delete(value);
      if (texts?.size === 0) values.delete(owner);
    },
  };
};

export type TextRecords = ReturnType<typeof textRecords>;
