import { totalmem } from "node:os";
import { bytes } from "../config/parse.ts";
import { UsageError } from "./usage-error.ts";

/** The server and its workers need this much memory under load. */
const MIN_MEMORY = 256 * 2 ** 20;
const MAX_MEMORY = 1024 * 2 ** 30;

/** @param total the machine's memory, in bytes */
const parse = (text: string, total: number): string | undefined => {
  const [, percent] = /^([1-9]\d?|100)%$/.exec(text) ?? [];
  if (percent === undefined) return bytes(MIN_MEMORY, MAX_MEMORY)(text)?.toString();
  return (total * Number(percent)) / 100 >= MIN_MEMORY ? text : undefined;
};

/** The value of `--memory-max` as systemd.resource-control(5) reads it. @throws UsageError */
export const parseMemoryMax = (text: string, total = totalmem()): string => {
  const limit = parse(text, total);
  if (limit !== undefined) return limit;
  throw new UsageError(
    `--memory-max: ${JSON.stringify(text)} must be a share of the machine's memory such as 75%, or a size such as 2GiB, of at least 256MiB`,
  );
};
