import { openAudit } from "../access/audit/service.ts";
import { openCategories } from "../store/categories/service.ts";
import { browserStateRepository } from "../pages/console/repository.ts";
import { adopterRepository } from "../store/orders/erasure.ts";
import { createSignInLinks } from "../pages/console/sign-in-links.ts";
import type { Config } from "../config/config.ts";
import { dnsAccess, targetAddressLookup } from "../platform/dns-checks/dns-access.ts";
import { cutOverInspector, inspector, wildcardInspector } from "../platform/dns-checks/inspect.ts";
import { delegationOf } from "./challenges.ts";
import { commandCertificates, issuanceOf } from "./certificates.ts";
import { openKeys } from "../access/keys/service.ts";
import { openOrders } from "../store/orders/service.ts";
import { openPeople } from "../access/people/service.ts";
import { commandDomainConnect } from "./domain-connect.ts";
import { domainServices } from "./domains.ts";
import { type Context, systemRuntime } from "../data/context.ts";
import { createRepositories, openCertificateRepository } from "./repositories.ts";

/**
 * The rooms for commands, with or without a running server. Each is opened when it is read, and again on every read, so that a
 * command prepares only the queries that it uses: keep it in a constant.
 */
export const commandRooms = (context: Context) => {
  const { config, database, clock } = context;
  const repositories = createRepositories(context);
  return {
    get audit() {
      return openAudit(context).audit;
    },
    get keys() {
      return openKeys(context);
    },
    get people() {
      return openPeople(context).people;
    },
    get signInLinks() {
      return createSignInLinks(browserStateRepository(database), openPeople(context).people, context);
    },
    get categories() {
      return openCategories(context);
    },
    get orders() {
      return openOrders(context);
    },
    get certificates() {
      return commandCertificates(context, repositories.certificates);
    },
    /** Projects and their domains. */
    get platform() {
      const dns = dnsAccess(config, context);
      const delegation = delegationOf(config, dns);
      const issuance = issuanceOf(config, repositories.certificates, dns);
      return domainServices(context, repositories, {
        inspect: cutOverInspector(wildcardInspector(inspector({ ...dns, issuance }), delegation), delegation),
        addressesOf: targetAddressLookup(dns, clock),
        dns,
        offerConnect: commandDomainConnect(config)?.offer,
        onRemoved: () => {},
      });
    },
    get adopters() {
      return adopterRepository(database);
    },
  };
};

/** The certificates of a database that is open for reading only. */
export const readableCertificates = (
  config: Config,
  database: Parameters<typeof openCertificateRepository>[0],
) => commandCertificates({ config, ...systemRuntime }, openCertificateRepository(database));
