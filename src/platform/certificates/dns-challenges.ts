import { createHash } from "node:crypto";
import { apexOf } from "../../lib/hostname.ts";
import { reasonOf } from "../../lib/reason.ts";
import { sentence } from "../../lib/text.ts";
import type { Clock } from "../../lib/time.ts";
import { AcmeProblem, printable } from "../../protocols/acme/problem.ts";
import type { AskAuthorities } from "../../protocols/dns/authoritative.ts";
import { recordsOf } from "../../protocols/dns/cname-chain.ts";
import type { ChallengeRecords } from "./challenge-records.ts";

/** Whether the servers of a zone have a record; `unknown` if none of them responds here. */
export type Visibility =
  /** With the longest TTL that a server returns, in seconds. */
  { kind: "visible"; ttl: number } | { kind: "missing" } | { kind: "unknown" };

/** The TXT records of DNS-01 challenges (RFC 8555 section 8.4). */
export interface DnsChallenges {
  /** Adds a record, and waits until the servers of its zone have it and no cache has an older set of records. @throws AcmeProblem */
  publish(name: string, value: string): Promise<void>;
  /** Never rejects: a record that is left over is harmless, because no CA asks for it again. */
  remove(name: string, value: string): Promise<void>;
}

/** RFC 8555 section 8.4: the value of the TXT record. */
export const recordValueOf = (keyAuthorization: string): string =>
  createHash("sha256").update(keyAuthorization).digest("base64url");

const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 10_000;
/** Secondary servers follow within this time. */
const PATIENCE_MS = 120_000;
/** The longest wait for caches: the resolvers of public CAs keep records for less time. */
const MAX_CACHED_MS = 120_000;

/** How long a resolver may keep records, in milliseconds. It may count whole seconds, so one is added. */
const cachedMs = (ttl: number): number => Math.min((ttl + 1) * 1000, MAX_CACHED_MS);

const problem = (type: string, detail: string) => new AcmeProblem({ type, detail: printable(detail) });

export const dnsChallenges = ({
  records,
  lookUp,
  onLeftOver,
  clock,
  sleep,
}: {
  records: ChallengeRecords;
  /** Asks the authoritative servers. */
  lookUp(name: string, value: string): Promise<Visibility>;
  /** Called when a record could not be removed. */
  onLeftOver(name: string, error: unknown): void;
  clock: Clock;
  sleep(ms: number): Promise<void>;
}): DnsChallenges => {
  const untilVisible = async (name: string, value: string) => {
    const end = clock.now() + PATIENCE_MS;
    for (let wait = FIRST_WAIT_MS; ; wait = Math.min(2 * wait, MAX_WAIT_MS)) {
      const found = await lookUp(name, value);
      // Perhaps only this machine cannot reach the zone's servers: the CA decides.
      if (found.kind === "unknown") return;
      // The domains of a project share one name: the CA's resolver may still have the values of another order.
      if (found.kind === "visible") return sleep(cachedMs(found.ttl));
      if (clock.now() + wait > end)
        throw problem(
          "challenge_not_visible",
          `The TXT record ${name} was created, but the name servers of its zone do not have it after ${PATIENCE_MS / 60_000} minutes.`,
        );
      await sleep(wait);
    }
  };

  const remove = async (name: string, value: string) => {
    try {
      await records.remove(name, value);
    } catch (error) {
      onLeftOver(name, error);
    }
  };

  return {
    remove,
    async publish(name, value) {
      try {
        await records.add(name, value);
      } catch (error) {
        throw problem(
          "challenge_not_published",
          `The TXT record ${name} could not be created: ${sentence(reasonOf(error))}`,
        );
      }
      await untilVisible(name, value).catch(async (error: unknown) => {
        await remove(name, value);
        throw error;
      });
    },
  };
};

/** Asks whether all servers of the zone that respond have a TXT record. */
export const challengeVisibility =
  (askAuthorities: AskAuthorities) =>
  async (name: string, value: string): Promise<Visibility> => {
    const responses = await askAuthorities({ name, type: "TXT", apex: apexOf(name) });
    if (responses.length === 0) return { kind: "unknown" };
    const records = responses.map((response) =>
      recordsOf(response).find(({ type, data }) => type === "TXT" && data === value),
    );
    const ttls = records.flatMap((record) => record?.ttl ?? []);
    return ttls.length < responses.length ? { kind: "missing" } : { kind: "visible", ttl: Math.max(...ttls) };
  };
