import type { Config } from "../config/config.ts";
import { type Issuance, issuanceBy } from "../dns-checks/caa-finding.ts";
import type { DnsAccess } from "../protocols/dns/authoritative.ts";
import { delegationOf, wildcardOf } from "./challenges.ts";
import type { Repositories } from "./repositories.ts";

const ordersCertificates = ({ httpsPort, acmeAgreeTos }: Config): boolean =>
  httpsPort !== undefined && acmeAgreeTos;

/** The CAs, methods and accounts of the server's orders, in the terms of CAA records. @param dns for the delegation of challenges */
export const issuanceOf = (
  config: Config,
  certificates: Pick<Repositories["certificates"], "account">,
  dns?: DnsAccess,
): Issuance => {
  const issuance = issuanceBy(config.caaIssuers);
  if (!ordersCertificates(config)) return issuance;
  return {
    ...issuance,
    methods: issuance.methods.filter((method) => method !== "dns-01" || wildcardOf(config) !== undefined),
    delegation: dns && delegationOf(config, dns),
    async accounts() {
      const accounts = await Promise.all(config.acmeDirectory.map((ca) => certificates.account(ca)));
      const urls = accounts.flatMap((account) => account?.url ?? []);
      return urls.length === config.acmeDirectory.length ? urls : undefined;
    },
  };
};
