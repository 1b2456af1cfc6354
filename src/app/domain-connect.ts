import type { Config } from "../config/config.ts";
import { domainConnectKeyPath } from "../data/data-dir/paths.ts";
import { discovery, untrustedHosts } from "../platform/domain-connect/discovery.ts";
import { connectOffers } from "../platform/domain-connect/offers.ts";
import { openSigningKey } from "../platform/domain-connect/signing-key.ts";
import type { OfferConnect } from "../platform/dns-records/provider-guide.ts";
import { type AddressesOf, dnsAccess, targetAddressLookup } from "../platform/dns-checks/dns-access.ts";
import { ownNames } from "../platform/dns-checks/names.ts";
import { PROOF_LABEL } from "../platform/dns-checks/names.ts";
import { parseHostname } from "../lib/hostname.ts";
import { once } from "../lib/lazy.ts";
import { OperatorError } from "../lib/operator-error.ts";
import { cnameTargetIn } from "../platform/projects/service.ts";
import { type DnsAccess, resolveWith } from "../protocols/dns/authoritative.ts";
import { challengeTargetOf } from "./challenges.ts";
import { type Context, systemRuntime } from "../data/context.ts";

/** The origin of the console, if providers may send people back to it. */
const consoleOriginOf = ({ baseUrl, console }: Config): URL | undefined =>
  console && baseUrl !== undefined && parseHostname(new URL(baseUrl).hostname).ok
    ? new URL(baseUrl)
    : undefined;

/** @throws OperatorError */
const keyDomainOf = (config: Config): string => {
  const { publicPlatformDomain } = ownNames(config);
  if (publicPlatformDomain !== undefined) return publicPlatformDomain;
  throw new OperatorError(
    "DOMAIN_CONNECT_PROVIDER_ID needs a public domain for its key: set PLATFORM_DOMAIN to a domain that you own",
  );
};

/** Domain Connect; undefined without DOMAIN_CONNECT_PROVIDER_ID. @throws OperatorError */
export const domainConnectOf = (
  context: Pick<Context, "config" | "clock">,
  { dns, addressesOf }: { dns: DnsAccess; addressesOf: AddressesOf },
) => {
  const { config } = context;
  const { domainConnectProviderId: providerId, dataDir, platformCnameTarget, dnsPrivate } = config;
  if (providerId === undefined) return undefined;
  const keyDomain = keyDomainOf(config);
  const origin = consoleOriginOf(config);
  const key = once(() => openSigningKey(domainConnectKeyPath(dataDir)));
  const { offer, templateOf } = connectOffers(context, {
    settings: {
      providerId,
      keyDomain,
      redirectDomain: origin?.hostname,
      targetOf: cnameTargetIn(platformCnameTarget),
      challengeTargetOf: challengeTargetOf(config),
      proofHost: PROOF_LABEL,
    },
    key,
    discovery: discovery(resolveWith(dns), untrustedHosts(dns, dnsPrivate)),
    addressesOf,
  });
  const pageOf = (slug: string, hostname: string): string | undefined =>
    origin && new URL(`/console/projects/${slug}/domains/${hostname}`, origin).href;
  return {
    providerId,
    templateOf,
    /** The TXT records to publish. */
    keyRecords: () => key().recordsIn(keyDomain),
    offer: (({ slug, ...request }) =>
      offer({
        ...request,
        returnTo: slug === undefined ? undefined : pageOf(slug, request.hostname.ascii),
      })) satisfies OfferConnect,
  };
};

/** The same for a command. */
export const commandDomainConnect = (config: Config) => {
  const dns = dnsAccess(config, systemRuntime);
  const { clock } = systemRuntime;
  return domainConnectOf({ config, clock }, { dns, addressesOf: targetAddressLookup(dns, clock) });
};
