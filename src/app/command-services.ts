import { auditService } from "../access/audit/service.ts";
import { categoryService } from "../store/categories/service.ts";
import { createSignInLinks } from "../pages/console/sign-in-links.ts";
import type { Config } from "../config/config.ts";
import type { Database } from "../data/db/open.ts";
import { dnsAccess, targetAddressLookup } from "../platform/dns-checks/dns-access.ts";
import { cutOverInspector, inspector, wildcardInspector } from "../platform/dns-checks/inspect.ts";
import { delegationOf } from "./challenges.ts";
import { commandCertificates, issuanceOf } from "./certificates.ts";
import { keyService } from "../access/keys/service.ts";
import { orderService } from "../store/orders/service.ts";
import { personService } from "../access/people/service.ts";
import { commandDomainConnect } from "./domain-connect.ts";
import { domainServices } from "./domains.ts";
import { openCertificateRepository, createRepositories } from "./repositories.ts";
import { type Runtime, systemRuntime } from "../data/context.ts";

/**
 * The services for commands, with or without a running server. Each is built when it is read, and again on every
 * read, so that a command prepares only the queries that it uses: keep it in a constant.
 */
export const commandServices = (
  config: Config,
  database: Database,
  { clock }: Pick<Runtime, "clock"> = systemRuntime,
) => {
  const runtime = { ...systemRuntime, clock };
  const repositories = createRepositories(database, config);
  return {
    get audit() {
      return auditService({ audit: repositories.audit });
    },
    get keys() {
      return keyService({ keys: repositories.keys, ...runtime });
    },
    get people() {
      return personService({ people: repositories.people, ...runtime });
    },
    get signInLinks() {
      const { browserStates: states, people } = repositories;
      return createSignInLinks({ states, people, ...runtime });
    },
    get categories() {
      return categoryService({ categories: repositories.categories, clock });
    },
    get orders() {
      return orderService({ orders: repositories.orders, clock });
    },
    get certificates() {
      return commandCertificates(config, repositories.certificates, runtime);
    },
    /** Projects and their domains. */
    get platform() {
      const dns = dnsAccess(config, runtime);
      const delegation = delegationOf(config, dns);
      const issuance = issuanceOf(config, repositories.certificates, dns);
      return domainServices(config, repositories, runtime, {
        inspect: cutOverInspector(wildcardInspector(inspector({ ...dns, issuance }), delegation), delegation),
        addressesOf: targetAddressLookup(dns, clock),
        dns,
        offerConnect: commandDomainConnect(config)?.offer,
        onRemoved: () => {},
        onError: () => {},
      });
    },
    adopters: repositories.adopters,
  };
};

/** The certificates of a database that is open for reading only. */
export const readableCertificates = (
  config: Config,
  database: Parameters<typeof openCertificateRepository>[0],
) => commandCertificates(config, openCertificateRepository(database), systemRuntime);
