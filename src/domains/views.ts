import { type OfferConnect, patientOffer } from "../dns-records/provider-guide.ts";
import type { ConnectOffer } from "../dns-records/model.ts";
import type { Report } from "../dns-checks/model.ts";
import type { AddressesOf } from "../dns-checks/dns-access.ts";
import { hostnameOf } from "../lib/hostname.ts";
import type { ProjectService } from "../projects/service.ts";
import type { DomainCertificate } from "./certificate-model.ts";
import type { Domain } from "./domain.ts";
import { isWaiting } from "./stage.ts";

export type Project = Awaited<ReturnType<ProjectService["get"]>>;

/** A domain and what its record must point to. */
export type ListedDomain = Domain & {
  /** The slug of its project. */
  project: string;
  target: string;
  /** Of the target; only for an apex. */
  addresses?: readonly string[];
  /** Where its challenge may be delegated; undefined if the service cannot create records. */
  challengeTarget?: string | undefined;
  /** Only for a domain that needs records. */
  connect?: ConnectOffer | undefined;
  /** Its certificate, if the service has HTTPS. */
  certificate?: DomainCertificate | undefined;
};

/** A listed domain with the queries of its last check. */
export type InspectedDomain = ListedDomain & { trace?: Report };

export interface ViewOptions {
  targetOf: (label: string) => string;
  addressesOf: AddressesOf;
  /** Where a project's domains may delegate their challenges, by its label; undefined if the service cannot create records. */
  challengeTargetOf?: ((label: string) => string) | undefined;
  /** Undefined without Domain Connect. */
  offerConnect?: OfferConnect | undefined;
}

/** Where the records of a project's domain can be created; undefined for a domain that has them. */
const domainOffers = (offerConnect: OfferConnect | undefined) => {
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

/** A stored domain with what its project adds. */
export const domainViews = ({ targetOf, addressesOf, challengeTargetOf, offerConnect }: ViewOptions) => {
  const connectOf = domainOffers(offerConnect);
  const listed = async (
    domain: Domain,
    { slug, targetLabel }: Pick<Project, "slug" | "targetLabel">,
    certificate?: DomainCertificate,
  ): Promise<ListedDomain> => {
    const target = targetOf(targetLabel);
    const { isApex } = hostnameOf(domain.hostname);
    return {
      ...domain,
      project: slug,
      target,
      challengeTarget: challengeTargetOf?.(targetLabel),
      ...(isApex && { addresses: await addressesOf(target) }),
      certificate,
    };
  };
  return {
    /** In a list. */
    listed,
    /** By itself: also says where its records can be created. */
    shown: async (
      domain: Domain,
      project: Project,
      certificate?: DomainCertificate,
      trace?: Report,
    ): Promise<InspectedDomain> => ({
      ...(await listed(domain, project, certificate)),
      connect: await connectOf(domain, project, trace?.zone),
      ...(trace && { trace }),
    }),
  };
};
