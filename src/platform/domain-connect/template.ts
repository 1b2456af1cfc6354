import { createHash } from "node:crypto";

/** The templates, by the names that they have in URLs and files. An apex cannot have a CNAME record, so it has its own. */
export const SERVICES = ["subdomain", "apex"] as const;

export type Service = (typeof SERVICES)[number];

/** A record of a template (draft-ietf-dconn-domainconnect-05, "Template Record"). */
interface TemplateRecord {
  type: "A" | "AAAA" | "CNAME" | "TXT";
  /** Relative to the name that the template is applied to, which is `@`. */
  host: string;
  /** For all types but TXT. */
  pointsTo?: string;
  data?: string;
  ttl: number;
  txtConflictMatchingMode?: "All";
}

/** The records that a DNS provider creates once the holder agrees (draft-ietf-dconn-domainconnect-05, "Template Definition"). */
export interface Template {
  providerId: string;
  providerName: string;
  serviceId: Service;
  serviceName: string;
  /** Changes with the records. */
  version: number;
  description: string;
  variableDescription: string;
  /** The domain that publishes the public key for the signatures of requests. */
  syncPubKeyDomain: string;
  /** The host to which the provider may send people back. */
  syncRedirectDomain?: string;
  hostRequired?: true;
  records: TemplateRecord[];
}

/** The settings of this service's templates. */
export interface TemplateSettings {
  providerId: string;
  keyDomain: string;
  /** The host of the console; undefined if it has no domain name. */
  redirectDomain: string | undefined;
  /** The CNAME target of a project, by its label. */
  targetOf: (label: string) => string;
  /** The target to which a project's domains delegate challenges, by label; undefined if the service cannot create records. */
  challengeTargetOf: ((label: string) => string) | undefined;
  /** The host of the TXT record that identifies an apex's project. */
  proofHost: string;
}

/** The only part of the records that differs between projects. */
const LABEL = "%label%";
const TTL = 3600;

const addressRecord = (address: string): TemplateRecord => ({
  type: address.includes(":") ? "AAAA" : "A",
  host: "@",
  pointsTo: address,
  ttl: TTL,
});

/** Not every provider has ALIAS or ANAME, but all have A and AAAA. */
const apexRecords = (
  { targetOf, proofHost }: TemplateSettings,
  addresses: readonly string[],
): TemplateRecord[] => [
  ...addresses.map(addressRecord),
  // Replaces the proof of another project.
  { type: "TXT", host: proofHost, data: targetOf(LABEL), ttl: TTL, txtConflictMatchingMode: "All" },
];

const recordsFor = (
  service: Service,
  settings: TemplateSettings,
  addresses: readonly string[],
): TemplateRecord[] => {
  const { targetOf, challengeTargetOf } = settings;
  const site: TemplateRecord[] =
    service === "apex"
      ? apexRecords(settings, addresses)
      : [{ type: "CNAME", host: "@", pointsTo: targetOf(LABEL), ttl: TTL }];
  if (!challengeTargetOf) return site;
  return [...site, { type: "CNAME", host: "_acme-challenge", pointsTo: challengeTargetOf(LABEL), ttl: TTL }];
};

/** A positive integer that depends on the records only. */
const versionOf = (records: readonly TemplateRecord[]): number =>
  1 + createHash("sha256").update(JSON.stringify(records)).digest().readUIntBE(0, 3);

/** @param addresses of the service, for an apex */
export const templateFor = (
  service: Service,
  settings: TemplateSettings,
  addresses: readonly string[],
): Template => {
  const { providerId, keyDomain, redirectDomain } = settings;
  const records = recordsFor(service, settings, addresses);
  return {
    providerId,
    providerName: providerId,
    serviceId: service,
    serviceName: service === "apex" ? "Website on a domain" : "Website on a subdomain",
    version: versionOf(records),
    description:
      "Points a name to its website. Also delegates the ACME challenges of its certificate, if the service can publish their records.",
    variableDescription: "label: the random label of the customer's project. It is never reused.",
    syncPubKeyDomain: keyDomain,
    ...(redirectDomain !== undefined && { syncRedirectDomain: redirectDomain }),
    ...(service === "subdomain" && { hostRequired: true }),
    records,
  };
};

/** The name under which the template's file is published, as the repository of templates checks it. */
export const fileNameOf = ({ providerId, serviceId }: Pick<Template, "providerId" | "serviceId">): string =>
  `${providerId}.${serviceId}.json`.toLowerCase();

/**
 * False if a provider discloses another version of a template. It need not disclose any.
 * @param disclosed its JSON; undefined for a response without JSON
 */
export const isDeployed = (disclosed: unknown, { version }: Template): boolean => {
  const { version: deployed } = Object(disclosed) as { version?: unknown };
  return deployed === undefined || Number(deployed) === version;
};
