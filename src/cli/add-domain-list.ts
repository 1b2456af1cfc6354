import { fromRowResult } from "../domains/all-domains-model.ts";
import type { DomainService } from "../domains/service.ts";
import { isServed } from "../domains/stage.ts";
import { parseDomainList } from "../lib/domain-list.ts";
import { OPERATOR } from "../lib/privilege-ceiling.ts";
import { assertReadable } from "./file-arguments.ts";
import { print, printJson } from "./print/output.ts";
import { table } from "./print/table.ts";

type WireResult = ReturnType<typeof fromRowResult>;

/** @param path a file, or - for standard input */
const readList = (path: string): Promise<string> => {
  if (path === "-") return Bun.stdin.text();
  assertReadable(path);
  return Bun.file(path).text();
};

const WORDS = { added: "added", present: "already there", refused: "refused" } as const;

/** The reason of a refusal, or the records of a domain that is not live. */
const detailsOf = ({ domain, error }: WireResult): string => {
  if (!domain) return error?.message ?? "";
  if (isServed(domain.stage)) return domain.stage;
  const { record } = domain;
  return [record, ...(record.proof ? [record.proof] : [])]
    .map(({ type, name, value }) => `${type} ${name} ${value}`)
    .join(", ");
};

/** Prints the results uncut, so that the records can be copied. */
const printResults = (results: readonly WireResult[]): void => {
  const rows = results.map((one) => [one.hostname, one.project ?? "-", WORDS[one.result], detailsOf(one)]);
  print(table([["DOMAIN", "PROJECT", "RESULT", "RECORD OR REASON"], ...rows]));
  const counts = Object.entries(WORDS).map(
    ([result, word]) => `${results.filter((one) => one.result === result).length} ${word}`,
  );
  print(`\n${counts.join(", ")}.`);
};

/** Adds the domains of a file. The exit code is 1 if any was refused. */
export const addDomainList = async (
  domains: DomainService,
  path: string,
  { project, json }: { project: string | undefined; json: boolean | undefined },
): Promise<void> => {
  const rows = parseDomainList(await readList(path));
  const results = (await domains.addRows(rows, project, OPERATOR)).map(fromRowResult);
  if (json) printJson(results);
  else printResults(results);
  if (results.some(({ result }) => result === "refused")) process.exitCode = 1;
};
