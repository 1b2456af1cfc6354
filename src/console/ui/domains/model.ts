import type { components } from "../../../client/types/platform.d.ts";

/** Domains as the API describes them. */
type Schemas = components["schemas"];

export type Domain = Schemas["Domain"];
export type Finding = Schemas["DomainFinding"];
export type Event = Schemas["DomainEvent"];
export type Certificate = Schemas["DomainCertificate"];
export type Check = Schemas["DomainCheck"];
export type Config = Schemas["DomainsConfig"];
export type NewConfig = Schemas["NewDomainsConfig"];
export type Addition = Schemas["DomainAdditions"][number];
export type Stage = Domain["stage"];

/** The Unicode name, followed by the ASCII name if they differ. */
export const shownName = ({ hostname, unicode }: Pick<Domain, "hostname" | "unicode">): string =>
  unicode === hostname ? hostname : `${unicode} (${hostname})`;
