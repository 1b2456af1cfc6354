import { fromDomain, fromRowResult } from "../domains/model.ts";
import { type DomainService, refusalOf } from "../domains/service.ts";
import { isServed } from "../domains/stage.ts";
import { OperatorError } from "../lib/operator-error.ts";
import { OPERATOR } from "../lib/privilege-ceiling.ts";
import { confirm } from "./confirm.ts";
import type { DomainOptions } from "./domain-command.ts";
import { type WireDomain, argumentOf, printPairHint, printRecords, printStage } from "./print/domain.ts";
import { noteError, print, printJson } from "./print/output.ts";
import { parseDomainList } from "../lib/domain-list.ts";
import { assertReadable } from "./file-arguments.ts";
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
  if (rows.length === 0) throw new OperatorError("The list has no domains.");
  const results = (await domains.addRows(rows, project, OPERATOR)).map(fromRowResult);
  if (results.some(({ result }) => result === "refused")) process.exitCode = 1;
  if (json) return printJson(results);
  const lines = results.map((one) => [one.hostname, one.project ?? "-", one.result, detailOf(one)]);
  // Untruncated, so that the records can be copied.
  print(table([["DOMAIN", "PROJECT", "RESULT", "RECORD OR REASON"], ...lines]));
};

/** Prints domains that were added with their records, and what to do next. */
const printAdded = (domains: readonly WireDomain[], { project, wait }: DomainOptions): void => {
  const waiting = domains.filter(({ stage }) => !isServed(stage));
  for (const domain of domains) printStage(domain);
  if (waiting.length > 0) printRecords(waiting);
  if (wait || waiting.length === 0) return;
  print("\nThen:");
  for (const { hostname } of waiting)
    print(`  adoption-store domains verify ${argumentOf(hostname)} --project ${project} --wait`);
};

/** Prints why the pair was refused. The domain remains, and `--wait` follows it. @throws anything but a refusal */
const printRefusal = (pair: string, error: unknown): void => {
  const { message } = refusalOf(error).fault;
  noteError(`${pair} was not added: ${message.replace(/^pair:/, "it")}`);
  process.exitCode = 1;
};

/** Adds a domain and prints its records. Then, on a terminal, it offers the pair, unless a flag decides. */
export const addDomain = async (
  service: DomainService,
  hostname: string,
  options: DomainOptions,
): Promise<void> => {
  const add = (pair?: boolean) => service.add(options.project, { hostname, pair }, OPERATOR);
  const { domain, pair } = await add(options.pair);
  const added = fromDomain(domain);
  if (options.json) return printJson(added);
  printAdded(options.pair && pair ? [added, fromDomain(pair)] : [added], options);
  if (pair || options.pair !== undefined || added.pair === undefined) return;
  if (!process.stdin.isTTY) return printPairHint(hostname, added.pair, options.project);
  if (!(await confirm(`Also add ${added.pair} and redirect it?`, true))) return;
  try {
    const { pair: other } = await add(true);
    if (other) printAdded([fromDomain(other)], options);
  } catch (error) {
    printRefusal(added.pair, error);
  }
};
