import { acmeClients, caaIdentities } from "../certificates/clients.ts";
import { pendingHandshakes } from "../certificates/complete-order.ts";
import { certificateIssuer } from "../certificates/issue.ts";
import { orderPlacer } from "../certificates/place-order.ts";
import { challengeProbes, preflightChecks } from "../certificates/preflight.ts";
import { challengeFetcher, handshakeTrialOpener } from "../certificates/probes.ts";
import { certificateScheduler } from "../certificates/scheduler.ts";
import { type CertificateService, certificateService } from "../certificates/service.ts";
import type { Config } from "../config/config.ts";
import type { Database } from "../db/open.ts";
import { certificateRecords } from "../domains/certificate-records.ts";
import type { Inspect } from "../domains/inspect.ts";
import { ownNames } from "../domains/own-names.ts";
import { certificateStore } from "../edge/certificate-store.ts";
import { watchCertificates } from "../edge/certificate-watch.ts";
import { cnameTargetIn } from "../projects/addresses.ts";
import type { KeyAndCertificate } from "../protocols/acme/tls-alpn.ts";
import { secureContext } from "../protocols/tls/contexts.ts";
import type { Repositories } from "./repositories.ts";
import type { Runtime } from "./runtime.ts";

/** The certificate service for commands, which need no HTTPS listener. */
export const commandCertificates = (
  config: Config,
  certificates: Repositories["certificates"],
  { clock, sleep }: Pick<Runtime, "clock" | "sleep">,
): CertificateService =>
  certificateService({
    certificates,
    clientOf: (directory) => acmeClients(config, clock, sleep)(directory),
    assertLoads: ({ key, chain }) => void secureContext({ key, cert: chain }),
    clock,
  });

/** HTTPS: the certificates in use, the responses to CAs' challenges, and the scheduler that orders and renews. */
export const httpsServices = (
  config: Config,
  database: Pick<Database, "fresh" | "version" | "foreignVersion">,
  { certificates, domains }: Pick<Repositories, "certificates" | "domains">,
  { clock, sleep, randomFraction, log }: Runtime,
  {
    inspect,
    isServed,
  }: {
    inspect: Inspect;
    isServed: (hostname: string) => boolean;
  },
) => {
  const probes = challengeProbes();
  const handshakes = new Map<string, KeyAndCertificate>();
  const store = certificateStore({
    read(hostname) {
      const pair = certificates.keyPair(hostname);
      return pair && { ...pair, cert: pair.chain };
    },
    hstsMaxAge: config.hstsMaxAge,
    isServed,
    version: database.version,
    now: clock.now,
    onError: (hostname, error) => log.error({ err: error, hostname }, "a certificate cannot be used"),
  });
  const own = ownNames(config);
  const clientOf = acmeClients(config, clock, sleep);
  const directories = config.acmeAgreeTos ? config.acmeDirectory : [];
  const issue = certificateIssuer({
    certificates,
    placeOrder: orderPlacer({ certificates, directories, clientOf, clock }),
    clientOf,
    preflight: preflightChecks({
      records: certificateRecords({
        domains,
        inspect,
        targetOf: cnameTargetIn(config.platformCnameTarget),
      }),
      isOwnName: (hostname) => own.isOwnPublicName(hostname) && isServed(hostname),
      isServed,
      caaIdentities: caaIdentities(directories, clientOf),
      probes,
      fetchChallenge: challengeFetcher(config),
      openHandshakeTrial: handshakeTrialOpener(config, handshakes, clock),
      ports: { http: config.acmeHttpPort, tls: config.acmeTlsPort },
    }),
    handshakes: pendingHandshakes(handshakes, clock),
    onIssued: store.refresh,
    onForgotten(hostname) {
      store.refresh(hostname);
      log.info({ hostname }, "removed the certificate and key of an unused name");
    },
    onFailed: (hostname, { type, detail, status }) =>
      log.warn({ hostname, type, detail, status }, "no certificate was issued"),
    clock,
    randomFraction,
    sleep,
  });
  return {
    certificates: store,
    certificateWatch: watchCertificates(store, database, (error) =>
      log.error({ err: error }, "changes of certificates by other processes could not be read"),
    ),
    /** The certificate for a challenge in a TLS handshake; undefined if none is pending. */
    handshake: (hostname: string) => handshakes.get(hostname),
    /** The response to a challenge over HTTP; undefined if none is pending. */
    challenge: (hostname: string, token: string): string | undefined =>
      probes.responseTo(hostname, token) ?? certificates.keyAuthorization(hostname, token),
    scheduler: certificateScheduler({
      certificates,
      issue,
      missing: domains.uncertified,
      own: own.publicHosts,
      platformDomain: own.publicPlatformDomain,
      clock,
      onError: (error) => log.error({ err: error }, "a certificate could not be processed"),
    }),
  };
};
