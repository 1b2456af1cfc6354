import { sentence } from "../../lib/text.ts";
import { reasonOf } from "../../lib/reason.ts";
import type { Problem } from "../../protocols/acme/problem.ts";
import { challengeNameOf } from "../../protocols/dns/name.ts";
import type { Wildcard } from "./wildcard.ts";

/** Ways to prove a name to a CA: RFC 8555 sections 8.3 and 8.4, RFC 8737. */
export type Proof =
  | { method: "http-01" }
  | { method: "tls-alpn-01" }
  /** By a TXT record of this name: the challenge's own, or the one that it is delegated to. */
  | { method: "dns-01"; recordName: string };

/**
 * Returns why an order placed now would fail, or how to prove the name if nothing prevents it.
 * @param failedMethod the method that failed in the last attempt: chosen only if no other one works
 */
export type Preflight = (hostname: string, failedMethod?: string) => Promise<{ obstacle: Problem } | Proof>;

/** Problem type: no method proves the name. */
const CHALLENGE_UNREACHABLE = "challenge_unreachable";
/** Problem type: no project holds the name. */
export const NOT_HELD = "not_held";
/** Problem type: the name is served, but nothing is ordered for it. */
export const IMPORT_ONLY = "import_only";

/** Problem type: the name still points to its old host, which does not forward challenges. */
export const NOT_MOVED = "not_moved";
const BEFORE_MOVE =
  "Create the CNAME record for the challenge, if the domain's page shows one, or let the old host proxy /.well-known/acme-challenge/ to this service; a redirect is not enough.";
const BEFORE_RECORD =
  "Create its record, or first the CNAME record for the challenge, if the domain's page shows one.";

/** Fetches a challenge at one address, as a CA would. @throws if it cannot */
export type FetchChallenge = (address: string, hostname: string, token: string) => Promise<string>;

/** Opens a TLS-ALPN-01 handshake at an address, as a CA would. @throws if another server responds, or none */
export type TryHandshake = (hostname: string, address: string) => Promise<void>;

/** The DNS records that an order depends on. */
export type NameRecords =
  /** The addresses that a CA connects to, and the methods that CAA records allow. `isAtOldHost` if they belong to another server. */
  | { kind: "right"; addresses: readonly string[]; methods: readonly string[]; isAtOldHost?: boolean }
  /** The name's challenge is a CNAME record to a name in which this service publishes records for its project. */
  | { kind: "delegated"; recordName: string }
  | { kind: "wrong" | "unknown"; detail: string }
  /** The operator of this service must correct something. */
  | { kind: "unready"; detail: string }
  /** A project holds the name, but its plan has no custom domains. */
  | { kind: "suspended" };

/** The inputs of a trial of both methods. */
interface TrialOptions {
  probes: {
    /** A new token, and the response body that belongs to it. */
    open(hostname: string): { token: string; body: string };
  };
  fetchChallenge: FetchChallenge;
  tryHandshake: TryHandshake;
  /** Where CAs connect for challenges: 80 and 443, unless the settings change it. */
  ports: { http: number; tls: number };
}

interface PreflightOptions extends TrialOptions {
  /** Looks up names in the DNS. */
  records: {
    /** For a project's domain; undefined if no project holds the name. */
    forDomain(hostname: string): Promise<NameRecords | undefined>;
    /** For one of the service's own names. @param issuers what CAA records may name */
    forOwnName(hostname: string, issuers: readonly string[]): Promise<NameRecords>;
    /** Explains why CAA forbids a wildcard below a domain; undefined if it does not. */
    forbiddenWildcard(domain: string, issuers: readonly string[]): Promise<string | undefined>;
  };
  /** The certificate of the projects' names, if records can be published for it. */
  wildcard?: Wildcard | undefined;
  /** True for the service's own names. */
  isOwnName(hostname: string): boolean;
  /** True if the service serves something under the name. */
  isServed(hostname: string): boolean;
  /** The names that CAA records may use for the CAs (RFC 8555 section 7.1.1). */
  caaIdentities(): Promise<string[]>;
}

const obstacle = (type: string, detail: string): { obstacle: Problem } => ({
  obstacle: { type, detail, subproblems: [] },
});

const OBSTACLES = { wrong: "records", unknown: "records_unknown", unready: "platform_unready" } as const;

const obstacleIn = (
  records: Extract<NameRecords, { kind: "wrong" | "unknown" | "unready" | "suspended" }>,
): { obstacle: Problem } =>
  records.kind === "suspended"
    ? obstacle(NOT_HELD, "The project's plan has no custom domains.")
    : obstacle(OBSTACLES[records.kind], records.detail);

const proofIn = (records: Exclude<NameRecords, { kind: "right" }>): { obstacle: Problem } | Proof =>
  records.kind === "delegated" ? { method: "dns-01", recordName: records.recordName } : obstacleIn(records);

/** Tries all addresses at the same time, because each may be silent. Returns the first failure, in the order of addresses. */
const firstFailure = async (
  addresses: readonly string[],
  attempt: (address: string) => Promise<string | undefined>,
): Promise<string | undefined> =>
  (await Promise.all(addresses.map(attempt))).find((failure) => failure !== undefined);

/** The methods with which a CA connects to a name, in the order in which they are tried. */
const CONNECTING = ["http-01", "tls-alpn-01"] as const;

/** The methods that CAA records allow, the failed one last. */
const methodsInOrder = (allowed: readonly string[], failedMethod: string | undefined) =>
  CONNECTING.filter((method) => allowed.includes(method)).toSorted(
    (a, b) => Number(a === failedMethod) - Number(b === failedMethod),
  );

type Reach = Pick<Extract<NameRecords, { kind: "right" }>, "addresses" | "methods">;

/** Tries the methods at every address, because the CA chooses which address it connects to. */
const methodFinder = ({ probes, fetchChallenge, tryHandshake, ports }: TrialOptions) => {
  const tryHttp = async (hostname: string, address: string): Promise<string | undefined> => {
    const { token, body } = probes.open(hostname);
    const port = ports.http === 80 ? "" : `:${ports.http}`;
    const url = `http://${hostname}${port}/.well-known/acme-challenge/`;
    try {
      const response = await fetchChallenge(address, hostname, token);
      return response.trim() === body ? undefined : `Another server responds to ${url} at ${address}.`;
    } catch (error) {
      return `${url} cannot be fetched at ${address}: ${sentence(reasonOf(error))}`;
    }
  };

  const tryTls = (hostname: string, address: string): Promise<string | undefined> =>
    tryHandshake(hostname, address).then(
      () => undefined,
      (error: unknown) =>
        `The challenge fails on port ${ports.tls} of ${hostname} at ${address}: ${sentence(reasonOf(error))}`,
    );

  const trials = { "http-01": tryHttp, "tls-alpn-01": tryTls } as const;

  return async (
    hostname: string,
    { addresses, methods }: Reach,
    failedMethod?: string,
  ): ReturnType<Preflight> => {
    const failures: string[] = [];
    for (const method of methodsInOrder(methods, failedMethod)) {
      const failure = await firstFailure(addresses, (address) => trials[method](hostname, address));
      if (failure === undefined) return { method };
      failures.push(failure);
    }
    return obstacle(CHALLENGE_UNREACHABLE, failures.join(" "));
  };
};

/** Returns why a CA would not reach this service under a name at these addresses; undefined if it would. */
export const reachTrial = (options: TrialOptions) => {
  const findMethod = methodFinder(options);
  return async (hostname: string, addresses: readonly string[]): Promise<string | undefined> => {
    const result = await findMethod(hostname, { addresses, methods: CONNECTING });
    return "obstacle" in result ? result.obstacle.detail : undefined;
  };
};

/**
 * Finds out whether an order would fail before it is placed, because CAs limit failed orders: checks the records, CAA among
 * them, and whether one of the methods works at every address. For the service's own names only some records count.
 */
export const preflightChecks = (options: PreflightOptions): Preflight => {
  const { records, isOwnName, isServed, caaIdentities, wildcard } = options;
  const findMethod = methodFinder(options);

  /** An unreachable name blocks no order: this machine may reach its own names by another route than a CA does. */
  const checkOwnName: Preflight = async (hostname, failedMethod) => {
    const found = await records.forOwnName(hostname, await caaIdentities());
    if (found.kind !== "right") return proofIn(found);
    const result = await findMethod(hostname, found, failedMethod);
    if (!("obstacle" in result)) return result;
    return { method: methodsInOrder(found.methods, failedMethod)[0] ?? "http-01" };
  };

  const checkWildcard = async ({ hostname }: Wildcard): ReturnType<Preflight> => {
    const domain = hostname.slice(2);
    const forbidden = await records.forbiddenWildcard(domain, await caaIdentities());
    if (forbidden !== undefined) return obstacle("caa", forbidden);
    return { method: "dns-01", recordName: challengeNameOf(domain) };
  };

  const checkDomain = async (
    hostname: string,
    found: NameRecords,
    failedMethod: string | undefined,
  ): ReturnType<Preflight> => {
    if (found.kind !== "right") return proofIn(found);
    if (found.isAtOldHost && found.addresses.length === 0)
      return obstacle(NOT_MOVED, `${hostname} has no address yet. ${BEFORE_RECORD}`);
    const result = await findMethod(hostname, found, failedMethod);
    if (!found.isAtOldHost || !("obstacle" in result)) return result;
    return obstacle(NOT_MOVED, `${result.obstacle.detail} ${BEFORE_MOVE}`);
  };

  return async (hostname, failedMethod) => {
    if (hostname === wildcard?.hostname) return checkWildcard(wildcard);
    if (isOwnName(hostname)) return checkOwnName(hostname, failedMethod);
    const found = await records.forDomain(hostname);
    if (found) return checkDomain(hostname, found, failedMethod);
    return isServed(hostname)
      ? obstacle(IMPORT_ONLY, "No certificate is ordered for this name: CAs certify public names only.")
      : obstacle(NOT_HELD, "No project holds the name.");
  };
};
