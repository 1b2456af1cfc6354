import { fromDomain } from "../domains/model.ts";
import type { DomainService } from "../domains/service.ts";
import { isServed } from "../domains/stage.ts";
import { OPERATOR } from "../lib/privilege-ceiling.ts";
import { reasonOf } from "../lib/reason.ts";
import { confirm } from "./confirm.ts";
import { type WireDomain, argumentOf, printPairHint, printRecords, printStage } from "./print/domain.ts";
import { noteError, print, printJson } from "./print/output.ts";

interface Options {
  project: string;
  json?: boolean;
  wait?: boolean;
  /** Undefined if no flag decides about the pair. */
  pair?: boolean;
}

/** Prints domains that were added with their records, and what to do next. */
const printAdded = (domains: readonly WireDomain[], { project, wait }: Options): void => {
  const waiting = domains.filter(({ stage }) => !isServed(stage));
  for (const domain of domains) printStage(domain);
  if (waiting.length > 0) printRecords(waiting);
  if (wait || waiting.length === 0) return;
  print("\nThen:");
  for (const { hostname } of waiting)
    print(`  adoption-store domains verify ${argumentOf(hostname)} --project ${project} --wait`);
};

interface Addition {
  /** The domain that was named is the first. */
  added: WireDomain[];
  /** The pair, if neither a flag nor an answer has decided about it. */
  offer?: string;
  refusal?: string;
}

/** Adds a domain, and its pair if a flag or the user asks for it. The domain stays if its pair is refused at the terminal. */
const addNames = async (
  service: DomainService,
  hostname: string,
  { project, pair: isPair, json }: Options,
): Promise<Addition> => {
  const add = async (hasPair = false) => {
    const { domain, pair } = await service.add(project, { hostname, pair: hasPair }, OPERATOR);
    return { domain: fromDomain(domain), pair: pair && fromDomain(pair) };
  };
  const { domain, pair } = await add(isPair);
  const added = isPair && pair ? [domain, pair] : [domain];
  const offer = pair ? undefined : domain.pair;
  if (offer === undefined || isPair !== undefined) return { added };
  if (json || !process.stdin.isTTY) return { added, offer };
  if (!(await confirm(`Also add ${offer} and redirect it?`, true))) return { added };
  try {
    const both = await add(true);
    return { added: [domain, ...(both.pair ? [both.pair] : [])] };
  } catch (error) {
    return { added, refusal: `${offer} was not added: ${reasonOf(error)}` };
  }
};

/** Adds a domain, on request with its pair, and prints what to do next. */
export const addDomain = async (
  service: DomainService,
  hostname: string,
  options: Options,
): Promise<void> => {
  const { added, offer, refusal } = await addNames(service, hostname, options);
  if (options.json) printJson(added[0]);
  else printAdded(added, options);
  if (offer !== undefined && !options.json) printPairHint(hostname, offer, options.project);
  if (refusal === undefined) return;
  noteError(refusal);
  process.exitCode = 1;
};
