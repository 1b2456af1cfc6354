import type { Head } from "../log.ts";
import { type Range, decode } from "./etcd-keys.ts";

/** The value of the key that says where the log ends. It is compared as a whole, so there is one text for each head. */
export const headText = ({ log, position, id }: Head): string => JSON.stringify([log, position, id]);

export const headIn = (range: Range | undefined): Head | undefined => {
  const value = range?.kvs?.[0]?.value;
  if (value === undefined) return undefined;
  const [log, position, id] = JSON.parse(decode(value)) as [string, number, string];
  return { log, position, id };
};

/** etcd takes requests of 1.5 MiB. */
export const PART_BYTES = 1_000_000;
/** So many parts are sent or asked for at once. */
export const PARTS_AT_ONCE = 4;
