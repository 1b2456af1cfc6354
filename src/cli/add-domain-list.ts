import { fromRowResult } from "../domains/all-domains-model.ts";
import type { DomainService } from "../domains/service.ts";
import { parseDomainList } from "../lib/domain-list.ts";
import { OPERATOR } from "../lib/privilege-ceiling.ts";
import { assertReadable } from "./file-arguments.ts";
import { print, printJson } from "./print/output.ts";
import { table } from "./print/table.ts";

/** @param path a file, or - for standard input */
const readList = (path: string): Promise<string> => {
  if (path === "-") return Bun.stdin.text();
  assertReadable(path);
  return Bun.file(path).text();
};

/** The record to create, or the reason for a refusal. */
const detailOf = ({ domain, error }: ReturnType<typeof fromRowResult>): string => {
  if (!domain) return error?.message ?? "";
  const { type, name, value } = domain.record;
  return `${type} ${name} ${value}`;
};

/** Adds the domains of a list, and prints a result for each. The exit code is 1 if any was refused. */
export const addDomainList = async (
  domains: DomainService,
  path: string,
  { project, json }: { project: string | undefined; json: boolean | undefined },
): Promise<void> => {
  const rows = parseDomainList(await readList(path));
  const results = (await domains.addRows(rows, project, OPERATOR)).map(fromRowResult);
  if (results.some(({ result }) => result === "refused")) process.exitCode = 1;
  if (json) return printJson(results);
  const lines = results.map((one) => [one.hostname, one.project ?? "-", one.result, detailOf(one)]);
  // Untruncated, so that the records can be copied.
  print(table([["DOMAIN", "PROJECT", "RESULT", "RECORD OR REASON"], ...lines]));
};
