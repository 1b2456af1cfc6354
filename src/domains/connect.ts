import { type OfferConnect, patientOffer } from "../dns-records/connect-offer.ts";
import type { ConnectOffer } from "../dns-records/model.ts";
import { hostnameOf } from "../lib/hostname.ts";
import type { Domain } from "./domain.ts";
import { isWaiting } from "./stage.ts";

/** Where the records of a project's domain can be created; undefined for a domain that has them. */
export const domainOffers = (offerConnect: OfferConnect | undefined) => {
  const offer = patientOffer(offerConnect);
  return async (
    { hostname, stage, failingSince }: Domain,
    { slug, targetLabel: label }: { slug: string; targetLabel: string },
    zone: string | undefined,
  ): Promise<ConnectOffer | undefined> =>
    // The templates have no wildcards.
    !hostnameOf(hostname).isWildcard && (isWaiting(stage) || failingSince !== null)
      ? offer({ hostname: hostnameOf(hostname), zone, label, slug })
      : undefined;
};
