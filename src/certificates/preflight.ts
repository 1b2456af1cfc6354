import { sentence } from "../lib/text.ts";
import { reasonOf } from "../lib/reason.ts";
import type { Problem } from "../protocols/acme/problem.ts";

/** How a name is proven to a CA: RFC 8555 section 8.3, RFC 8737. */
export type Method = "http-01" | "tls-alpn-01";

/** Why an order placed now would fail; or how to prove the name, if nothing speaks against an order. */
export type Preflight = (hostname: string) => Promise<{ against: Problem } | { method: Method }>;

/** The type of the problem that a name cannot be proven in any way. */
export const UNREACHABLE = "challenge_unreachable";
/** The type of the problem that no project holds a name. */
export const NOT_HELD = "not_held";
/** The type of the problem that something is served under a name for which nothing is ordered. */
export const IMPORT_ONLY = "import_only";

/** Fetches what is below /.well-known/acme-challenge/ at an address as a CA would. @throws if it cannot */
export type FetchChallenge = (address: string, hostname: string, token: string) => Promise<string>;

/** A challenge in a TLS handshake that this service answers until the trial ends. */
export interface HandshakeTrial {
  /** Asks for it at an address as a CA would. @throws if this service does not answer there */
  at(address: string): Promise<void>;
  end(): void;
}

export type OpenHandshakes = (hostname: string) => Promise<HandshakeTrial>;

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

/** What the DNS says of a name before an order. */
export type NameRecords =
  /** The addresses that a CA will ask. */
  | { kind: "right"; addresses: readonly string[] }
  | { kind: "wrong"; detail: string }
  /** A project holds the name, and its plan has no custom domains. */
  | { kind: "suspended" };

export interface PreflightOptions {
  /** What the DNS says of names; the domains know. */
  records: {
    /** Of a project's domain; undefined if no project holds the name. */
    ofDomain(hostname: string): Promise<NameRecords | undefined>;
    /** Of a name of the service itself. @param issuers what CAA records may name */
    ofOwn(hostname: string, issuers: readonly string[]): Promise<NameRecords>;
  };
  /** True of the service's own names. */
  isOwn(hostname: string): boolean;
  /** True if something is served under the name. */
  isServed(hostname: string): boolean;
  /** What the CAs say that CAA records may name them by (RFC 8555 section 7.1.1). */
  identities(): Promise<string[]>;
  probes: Probes;
  fetchChallenge: FetchChallenge;
  openHandshakes: OpenHandshakes;
  /** Where challenges are asked for: 80 and 443, unless the settings say otherwise. */
  ports: { http: number; tls: number };
}

const against = (type: string, detail: string): { against: Problem } => ({
  against: { type, detail, subproblems: [] },
});

const refusedBy = (found: Exclude<NameRecords, { kind: "right" }>): { against: Problem } =>
  found.kind === "suspended"
    ? against(NOT_HELD, "The project's plan has no custom domains.")
    : against("records", found.detail);

/** Asks all addresses at the same time, because all may be silent. Returns the first complaint. */
const firstSaid = async (
  addresses: readonly string[],
  say: (address: string) => Promise<string | undefined>,
): Promise<string | undefined> => (await Promise.all(addresses.map(say))).find((said) => said !== undefined);

/**
 * Looks for what an order would fail of, so that none is spent on it: the records, CAA among them, and whether one of the
 * challenges is answered at all addresses that the DNS gives. Of the service's own names less is asked.
 */
export const preflightChecks = ({
  records,
  isOwn,
  isServed,
  identities,
  probes,
  fetchChallenge,
  openHandshakes,
  ports,
}: PreflightOptions): Preflight => {
  const overHttp = async (hostname: string, address: string): Promise<string | undefined> => {
    const { token, answer } = probes.add(hostname);
    const port = ports.http === 80 ? "" : `:${ports.http}`;
    const path = `http://${hostname}${port}/.well-known/acme-challenge/`;
    try {
      const got = await fetchChallenge(address, hostname, token);
      return got.trim() === answer
        ? undefined
        : `Another server than this one answers ${path} at ${address}.`;
    } catch (error) {
      return `${path} cannot be fetched at ${address}: ${sentence(reasonOf(error))}`;
    } finally {
      probes.remove(token);
    }
  };
  const inHandshakes = async (
    hostname: string,
    addresses: readonly string[],
  ): Promise<string | undefined> => {
    const trial = await openHandshakes(hostname);
    const tryAt = (address: string) =>
      trial.at(address).then(
        () => undefined,
        (error: unknown) =>
          `Nor is it proven by port ${ports.tls} of ${hostname} at ${address}: ${sentence(reasonOf(error))}`,
      );
    try {
      return await firstSaid(addresses, tryAt);
    } finally {
      trial.end();
    }
  };

  /** A CA chooses the address that it asks. */
  const methodFor = async (hostname: string, addresses: readonly string[]): ReturnType<Preflight> => {
    const http = await firstSaid(addresses, (address) => overHttp(hostname, address));
    if (http === undefined) return { method: "http-01" };
    const tls = await inHandshakes(hostname, addresses);
    if (tls === undefined) return { method: "tls-alpn-01" };
    return against(UNREACHABLE, `${http} ${tls}`);
  };

  /** This machine may see its own names in another way than a CA does, so an order is placed all the same. */
  const examineOwn = async (hostname: string): ReturnType<Preflight> => {
    const found = await records.ofOwn(hostname, await identities());
    if (found.kind !== "right") return refusedBy(found);
    const method = await methodFor(hostname, found.addresses);
    return "against" in method ? { method: "http-01" } : method;
  };

  return async (hostname) => {
    if (isOwn(hostname)) return examineOwn(hostname);
    const found = await records.ofDomain(hostname);
    if (found) return found.kind === "right" ? methodFor(hostname, found.addresses) : refusedBy(found);
    return isServed(hostname)
      ? against(IMPORT_ONLY, "No certificate is ordered for this name: CAs certify public names only.")
      : against(NOT_HELD, "No project holds the name.");
  };
};
