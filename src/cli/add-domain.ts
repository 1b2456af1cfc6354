import { fromDomain } from "../domains/model.ts";
import type { DomainService } from "../domains/service.ts";
import { isServed } from "../domains/stage.ts";
import { OPERATOR } from "../lib/privilege-ceiling.ts";
import { confirm } from "./confirm.ts";
import type { DomainOptions } from "./domain-command.ts";
import { type WireDomain, argumentOf, printPairHint, printRecords, printStage } from "./print/domain.ts";
import { noteError, print, printJson } from "./print/output.ts";

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

/**
 * Adds a domain and prints its records. On a terminal, it also offers the pair, unless a flag decides. If the pair is then refused,
 * the domain remains.
 */
export const addDomain = async (
  service: DomainService,
  hostname: string,
  options: DomainOptions,
): Promise<void> => {
  const add = (pair?: boolean) => service.add(options.project, { hostname, pair }, OPERATOR);
  const { domain, pair } = await add(options.pair);
  const added = fromDomain(domain);
  if (options.json) return printJson(added);
  const offer = pair || options.pair !== undefined ? undefined : added.pair;
  if (offer === undefined || !process.stdin.isTTY) {
    printAdded(options.pair && pair ? [added, fromDomain(pair)] : [added], options);
    if (offer !== undefined) printPairHint(hostname, offer, options.project);
    return;
  }
  const isAccepted = await confirm(`Also add ${offer} and redirect it?`, true);
  const later = isAccepted ? await add(true).catch((error: Error) => error) : undefined;
  const other = later instanceof Error ? undefined : later?.pair;
  printAdded(other ? [added, fromDomain(other)] : [added], options);
  if (!(later instanceof Error)) return;
  noteError(`${offer} was not added: ${later.message}`);
  process.exitCode = 1;
};
