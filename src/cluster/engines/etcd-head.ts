import { EngineUnavailable } from "../errors.ts";
import type { Head } from "../log.ts";
import { type Range, decode } from "./etcd-keys.ts";

/** The value of the key that says where the log ends. It is compared as a whole, so there is one text for each head. */
export const headText = ({ log, position, id }: Head): string => JSON.stringify([log, position, id]);

/** @throws EngineUnavailable if another program wrote the key */
const parseHead = (text: string): Head => {
  try {
    const [log, position, id] = JSON.parse(text) as [unknown, unknown, unknown];
    if (typeof log === "string" && Number.isSafeInteger(position) && typeof id === "string")
      return { log, position: Number(position), id };
  } catch {
    // As below.
  }
  throw new EngineUnavailable(
    "etcd: the key that says where the log ends was overwritten: put its last value back, or begin another log with adoption-store cluster join --replace; give the cluster a prefix that nothing else writes to",
  );
};

/** @throws EngineUnavailable */
export const headIn = (range: Range | undefined): Head | undefined => {
  const value = range?.kvs?.[0]?.value;
  if (value === undefined) return undefined;
  return parseHead(decode(value));
};

/** etcd takes requests of 1.5 MiB. */
export const PART_BYTES = 1_000_000;
/** So many parts are sent or asked for at once. */
export const PARTS_AT_ONCE = 4;
