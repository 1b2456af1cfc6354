import type { components } from "../api/platform.d.ts";

/** What the API tells of domains. */
type Schemas = components["schemas"];

export type Domain = Schemas["Domain"];
export type Finding = Schemas["DomainFinding"];
export type Event = Schemas["DomainEvent"];
export type Certificate = Schemas["DomainCertificate"];
export type Config = Schemas["DomainsConfig"];
export type Stage = Domain["stage"];

/** A name as people read it, with its A-labels where those are others. */
export const shownName = ({ hostname, unicode }: Pick<Domain, "hostname" | "unicode">): string =>
  unicode === hostname ? hostname : `${unicode} (${hostname})`;
