import { sentence } from "../lib/text.ts";
import { reasonOf } from "../lib/reason.ts";
import type { Problem } from "../protocols/acme/problem.ts";

/** How a name is proven to a CA: RFC 8555 section 8.3, RFC 8737. */
export type Method = "http-01" | "tls-alpn-01";

/** Returns why an order placed now would fail, or how to prove the name if nothing stands in the way. */
export type Preflight = (hostname: string) => Promise<{ obstacle: Problem } | { method: Method }>;

/** Problem type: no method proves the name. */
const CHALLENGE_UNREACHABLE = "challenge_unreachable";
/** Problem type: no project holds the name. */
export const NOT_HELD = "not_held";
/** Problem type: the name is served, but nothing is ordered for it. */
export const IMPORT_ONLY = "import_only";

/** Fetches a challenge at one address, as a CA would. @throws if it cannot */
export type FetchChallenge = (address: string, hostname: string, token: string) => Promise<string>;

/** A challenge that this service presents in TLS handshakes until the trial ends. */
interface HandshakeTrial {
  /** Opens a handshake at an address, as a CA would. @throws if another server responds, or none */
  connect(address: string): Promise<void>;
  end(): void;
}

export type OpenHandshakeTrial = (hostname: string) => Promise<HandshakeTrial>;

/** Challenges that the service sets itself, to try whether it can be reached. */
export const challengeProbes = () => {
  const probes = new Map<string, { hostname: string; body: string }>();
  return {
    /** A new token, and the response body that belongs to it. */
    add(hostname: string): { token: string; body: string } {
      const token = `probe-${crypto.randomUUID()}`;
      const body = crypto.randomUUID();
      probes.set(token, { hostname, body });
      return { token, body };
    },
    remove: (token: string): void => void probes.delete(token),
    /** The response body for a token under this name; undefined if the token is not a probe's. */
    responseTo(hostname: string, token: string): string | undefined {
      const probe = probes.get(token);
      return probe?.hostname === hostname ? probe.body : undefined;
    },
  };
};

type Probes = ReturnType<typeof challengeProbes>;

/** What the DNS says about a name before an order. */
export type NameRecords =
  /** The addresses that a CA connects to. */
  | { kind: "right"; addresses: readonly string[] }
  | { kind: "wrong"; detail: string }
  /** A project holds the name, but its plan has no custom domains. */
  | { kind: "suspended" };

interface PreflightOptions {
  /** Looks up names in the DNS. */
  records: {
    /** For a project's domain; undefined if no project holds the name. */
    forDomain(hostname: string): Promise<NameRecords | undefined>;
    /** For one of the service's own names. @param issuers what CAA records may name */
    forOwnName(hostname: string, issuers: readonly string[]): Promise<NameRecords>;
  };
  /** True for the service's own names. */
  isOwnName(hostname: string): boolean;
  /** True if the service serves something under the name. */
  isServed(hostname: string): boolean;
  /** The names that CAA records may use for the CAs (RFC 8555 section 7.1.1). */
  caaIdentities(): Promise<string[]>;
  probes: Pick<Probes, "add" | "remove">;
  fetchChallenge: FetchChallenge;
  openHandshakeTrial: OpenHandshakeTrial;
  /** Where CAs connect for challenges: 80 and 443, unless the settings change it. */
  ports: { http: number; tls: number };
}

const obstacle = (type: string, detail: string): { obstacle: Problem } => ({
  obstacle: { type, detail, subproblems: [] },
});

const obstacleIn = (records: Exclude<NameRecords, { kind: "right" }>): { obstacle: Problem } =>
  records.kind === "suspended"
    ? obstacle(NOT_HELD, "The project's plan has no custom domains.")
    : obstacle("records", records.detail);

/** Tries all addresses at the same time, because each may be silent. Returns the first failure, in the order of addresses. */
const firstFailure = async (
  addresses: readonly string[],
  attempt: (address: string) => Promise<string | undefined>,
): Promise<string | undefined> =>
  (await Promise.all(addresses.map(attempt))).find((failure) => failure !== undefined);

/** Tries both methods at every address, because the CA chooses which address it connects to. */
const methodFinder = ({ probes, fetchChallenge, openHandshakeTrial, ports }: PreflightOptions) => {
  const tryHttp = async (hostname: string, address: string): Promise<string | undefined> => {
    const { token, body } = probes.add(hostname);
    const port = ports.http === 80 ? "" : `:${ports.http}`;
    const url = `http://${hostname}${port}/.well-known/acme-challenge/`;
    try {
      const response = await fetchChallenge(address, hostname, token);
      return response.trim() === body ? undefined : `Another server responds to ${url} at ${address}.`;
    } catch (error) {
      return `${url} cannot be fetched at ${address}: ${sentence(reasonOf(error))}`;
    } finally {
      probes.remove(token);
    }
  };

  const tryHandshakes = async (
    hostname: string,
    addresses: readonly string[],
  ): Promise<string | undefined> => {
    const trial = await openHandshakeTrial(hostname);
    const tryHandshake = (address: string) =>
      trial.connect(address).then(
        () => undefined,
        (error: unknown) =>
          `The challenge also fails on port ${ports.tls} of ${hostname} at ${address}: ${sentence(reasonOf(error))}`,
      );
    try {
      return await firstFailure(addresses, tryHandshake);
    } finally {
      trial.end();
    }
  };

  return async (hostname: string, addresses: readonly string[]): ReturnType<Preflight> => {
    const http = await firstFailure(addresses, (address) => tryHttp(hostname, address));
    if (http === undefined) return { method: "http-01" };
    const tls = await tryHandshakes(hostname, addresses);
    if (tls === undefined) return { method: "tls-alpn-01" };
    return obstacle(CHALLENGE_UNREACHABLE, `${http} ${tls}`);
  };
};

/**
 * Finds out whether an order would fail before it is placed, because CAs limit failed orders: checks the records, CAA among
 * them, and whether one of the methods works at every address. For the service's own names only some records count.
 */
export const preflightChecks = (options: PreflightOptions): Preflight => {
  const { records, isOwnName, isServed, caaIdentities } = options;
  const findMethod = methodFinder(options);

  /** An unreachable name is no obstacle: this machine may reach its own names by another route than a CA does. */
  const checkOwnName = async (hostname: string): ReturnType<Preflight> => {
    const found = await records.forOwnName(hostname, await caaIdentities());
    if (found.kind !== "right") return obstacleIn(found);
    const result = await findMethod(hostname, found.addresses);
    return "obstacle" in result ? { method: "http-01" } : result;
  };

  return async (hostname) => {
    if (isOwnName(hostname)) return checkOwnName(hostname);
    const found = await records.forDomain(hostname);
    if (found) return found.kind === "right" ? findMethod(hostname, found.addresses) : obstacleIn(found);
    return isServed(hostname)
      ? obstacle(IMPORT_ONLY, "No certificate is ordered for this name: CAs certify public names only.")
      : obstacle(NOT_HELD, "No project holds the name.");
  };
};
