import { describe } from "../domain.ts";
import { hostnameOf } from "../hostname.ts";
import type { Inspect } from "../inspect.ts";
import type { Domains } from "../repository.ts";
import type { Problem } from "../acme/problem.ts";

/** The type of the problem that a name cannot be proven over HTTP. */
export const UNREACHABLE = "challenge_unreachable";
/** The type of the problem that no project holds a name. */
export const NOT_HELD = "not_held";

/** Fetches what is below /.well-known/acme-challenge/ at an address as an authority would. @throws if it cannot */
export type FetchChallenge = (address: string, hostname: string, token: string) => Promise<string>;

/** Tokens that the service makes for itself, and their answers. */
export interface Probes {
  /** A new token with its answer. */
  add(hostname: string): { token: string; answer: string };
  remove(token: string): void;
  /** What is answered under this name; undefined if the token is not one of these. */
  answer(hostname: string, token: string): string | undefined;
}

export const challengeProbes = (): Probes => {
  const known = new Map<string, { hostname: string; answer: string }>();
  return {
    add(hostname) {
      const token = `probe-${crypto.randomUUID()}`;
      const answer = crypto.randomUUID();
      known.set(token, { hostname, answer });
      return { token, answer };
    },
    remove: (token) => void known.delete(token),
    answer(hostname, token) {
      const probe = known.get(token);
      return probe?.hostname === hostname ? probe.answer : undefined;
    },
  };
};

export interface ObjectionSettings {
  domains: Pick<Domains, "holder">;
  /** True of the service's own names, of which nothing is asked. */
  isOwn(hostname: string): boolean;
  inspect: Inspect;
  targetOf: (label: string) => string;
  probes: Probes;
  fetchChallenge: FetchChallenge;
}

/**
 * Looks for what an order would fail of, so that none is spent on it: the records, CAA among them, and whether the
 * challenge's path answers at the addresses that the DNS gives. Of the service's own names nothing is asked.
 */
export const objections = ({
  domains,
  isOwn,
  inspect,
  targetOf,
  probes,
  fetchChallenge,
}: ObjectionSettings) => {
  const unreachable = async (hostname: string, address: string): Promise<Problem | undefined> => {
    const { token, answer } = probes.add(hostname);
    try {
      const got = await fetchChallenge(address, hostname, token);
      if (got.trim() === answer) return undefined;
      return {
        type: UNREACHABLE,
        subproblems: [],
        detail: `Another server than this one answers http://${hostname}/.well-known/acme-challenge/ at ${address}.`,
      };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return {
        type: UNREACHABLE,
        subproblems: [],
        detail: `http://${hostname}/.well-known/acme-challenge/ cannot be fetched at ${address}: ${reason}. Port 80 must lead to this service.`,
      };
    } finally {
      probes.remove(token);
    }
  };

  return async (hostname: string): Promise<Problem | undefined> => {
    if (isOwn(hostname)) return undefined;
    const holder = await domains.holder(hostname);
    if (!holder || holder.domain.stage === "suspended")
      return {
        type: NOT_HELD,
        subproblems: [],
        detail: holder ? "The project's plan has no custom domains." : "No project holds the name.",
      };
    const { event, findings, report } = await inspect(
      hostnameOf(hostname),
      targetOf(holder.project.targetLabel),
      { isUrgent: () => false, isContested: false },
    );
    const [first] = findings;
    if (event !== "records_right" || first)
      return {
        type: "records",
        subproblems: [],
        detail: first ? describe(first) : "The domain's records could not be asked about.",
      };
    for (const address of report.targetAddresses) {
      const problem = await unreachable(hostname, address);
      if (problem) return problem;
    }
    return undefined;
  };
};
