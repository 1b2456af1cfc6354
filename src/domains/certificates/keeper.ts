import type { Clock } from "../../time.ts";
import type { Certificate } from "./certificate.ts";
import type { Issue } from "./issue.ts";
import type { Certificates } from "./repository.ts";

export interface CertificateKeeper {
  /** Gets from now on what is due. */
  start(): void;
  /** Makes names known that are to have a certificate, and deals with those whose time has come. Never fails. */
  tick(): Promise<void>;
  /** Begins no more. What is under way goes on after the next start. */
  stop(): Promise<void>;
}

export interface CertificateKeeperSettings {
  certificates: Pick<Certificates, "missing" | "missingBelow" | "want" | "due" | "reconsider">;
  issue: Issue;
  /** The service's own public names. */
  own: readonly string[];
  /** The domain that projects have their names below, if the public DNS may have it. */
  platformDomain?: string | undefined;
  clock: Clock;
  /** Told of what could not be read or written down. */
  failed: (error: unknown) => void;
}

const TICK_MS = 1000;
/** Names dealt with at once: an authority takes seconds for each, and is to be spared. */
const MOST_AT_ONCE = 8;
/** Names that become known in one tick. */
const MOST_NEW = 100;
/** How long a name rests whose outcome could not be written down, such as on a full disk. */
const REST_MS = 60_000;
/** How long stopping waits for what is under way. */
const PATIENCE_MS = 1000;

/** Orders and renews certificates when their time has come; never two at once for one name. */
export const certificateKeeper = ({
  certificates,
  issue,
  own,
  platformDomain,
  clock,
  failed,
}: CertificateKeeperSettings): CertificateKeeper => {
  const running = new Map<string, Promise<void>>();
  const resting = new Map<string, number>();
  let timer: ReturnType<typeof setInterval> | undefined;
  let isStopped = false;
  let isOwnKnown = own.length === 0;

  const deal = async (certificate: Certificate) => {
    try {
      await issue(certificate);
    } catch (error) {
      resting.set(certificate.hostname, clock.now() + REST_MS);
      failed(error);
    }
  };

  const begin = (certificate: Certificate): Promise<void> => {
    const ended = deal(certificate).finally(() => running.delete(certificate.hostname));
    running.set(certificate.hostname, ended);
    return ended;
  };

  const beginDue = async (): Promise<Promise<void>[]> => {
    const now = clock.now();
    const names = await certificates.missing(MOST_NEW);
    if (platformDomain) names.push(...(await certificates.missingBelow(platformDomain, MOST_NEW)));
    await certificates.want(isOwnKnown ? names : [...own, ...names], now);
    isOwnKnown = true;
    for (const [hostname, until] of resting) if (until <= now) resting.delete(hostname);
    const free = MOST_AT_ONCE - running.size;
    if (free <= 0) return [];
    const due = await certificates.due(now, free + running.size + resting.size);
    if (isStopped) return [];
    return due
      .filter(({ hostname }) => !running.has(hostname) && !resting.has(hostname))
      .slice(0, free)
      .map(begin);
  };

  const tick = async () => {
    if (isStopped) return;
    try {
      await Promise.all(await beginDue());
    } catch (error) {
      failed(error);
    }
  };

  return {
    tick,
    start() {
      // What a setting kept from working may work with another.
      certificates.reconsider(clock.now()).catch(failed);
      timer = setInterval(tick, TICK_MS);
    },
    async stop() {
      isStopped = true;
      clearInterval(timer);
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const patience = setTimeout(resolve, PATIENCE_MS);
      await Promise.race([Promise.all(running.values()), late]);
      clearTimeout(patience);
    },
  };
};
