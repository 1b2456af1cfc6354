import type { Clock } from "../lib/time.ts";
import type { Certificate } from "./certificate.ts";
import type { Issue } from "./issue.ts";
import { type Rounds, rounds } from "../lib/poller.ts";
import type { Certificates } from "./repository.ts";

export type CertificateKeeper = Rounds;

export interface CertificateKeeperSettings {
  certificates: Pick<Certificates, "missing" | "missingBelow" | "find" | "want" | "due" | "reconsider">;
  issue: Issue;
  /** The service's own public names. */
  own: readonly string[];
  /** The domain that projects have their names below, if the public DNS may have it. */
  platformDomain?: string | undefined;
  clock: Clock;
  /** Told of what could not be read or written down. */
  failed: (error: unknown) => void;
}

/** Names dealt with at once: an authority takes seconds for each, and is to be spared. */
const MOST_AT_ONCE = 8;
/** Names that become known in one tick. */
const MOST_NEW = 100;

/** Makes names known that are to have a certificate, and orders and renews certificates when their time has come. */
export const certificateKeeper = ({
  certificates,
  issue,
  own,
  platformDomain,
  clock,
  failed,
}: CertificateKeeperSettings): CertificateKeeper => {
  const missingOwn = async (): Promise<string[]> => {
    const found = await Promise.all(own.map((hostname) => certificates.find(hostname)));
    return own.filter((_, at) => !found[at]);
  };

  const due = async (now: number, limit: number): Promise<Certificate[]> => {
    const names = [...(await missingOwn()), ...(await certificates.missing(MOST_NEW))];
    if (platformDomain) names.push(...(await certificates.missingBelow(platformDomain, MOST_NEW)));
    await certificates.want(names, now);
    return certificates.due(now, limit);
  };

  const kept = rounds({
    due,
    idOf: ({ hostname }) => hostname,
    deal: issue,
    mostATick: MOST_AT_ONCE,
    mostAtOnce: MOST_AT_ONCE,
    clock,
    failed,
  });
  return {
    ...kept,
    start() {
      // What a setting kept from working may work with another.
      certificates.reconsider(clock.now()).catch(failed);
      kept.start();
    },
  };
};
