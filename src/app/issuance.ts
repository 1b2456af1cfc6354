import type { Config } from "../config/config.ts";
import { type Issuance, issuanceBy } from "../dns-checks/caa-finding.ts";
import { wildcardOf } from "./challenges.ts";
import type { Repositories } from "./repositories.ts";

const ordersCertificates = ({ httpsPort, acmeAgreeTos }: Config): boolean =>
  httpsPort !== undefined && acmeAgreeTos;

/** With what the server orders certificates, as CAA records name it. */
export const issuanceOf = (
  config: Config,
  certificates: Pick<Repositories["certificates"], "account">,
): Issuance => {
  const issuance = issuanceBy(config.caaIssuers);
  if (!ordersCertificates(config)) return issuance;
  return {
    ...issuance,
    methods: issuance.methods.filter((method) => method !== "dns-01" || wildcardOf(config) !== undefined),
    async accounts() {
      const accounts = await Promise.all(config.acmeDirectory.map((ca) => certificates.account(ca)));
      const urls = accounts.flatMap((account) => account?.url ?? []);
      return urls.length === config.acmeDirectory.length ? urls : undefined;
    },
  };
};
