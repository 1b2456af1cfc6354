import { openAudit } from "../access/audit/service.ts";
import type { ChallengeRecords } from "../platform/certificates/dns-challenges.ts";
import { withoutReplaced } from "../platform/certificates/wildcard.ts";
import { problemOfName } from "../store/categories/model.ts";
import { openCategories } from "../store/categories/service.ts";
import { openFields } from "../store/pets/fields/service.ts";
import { openProfiles } from "../store/pets/profile/service.ts";
import type { Cluster } from "../data/cluster/cluster.ts";
import { keptResponseRepository } from "../data/db/kept-responses.ts";
import type { RequestIndex } from "../data/db/pet-index.ts";
import { randomToken } from "../lib/random.ts";
import { type AddressesOf, dnsAccess, targetAddressLookup } from "../platform/dns-checks/dns-access.ts";
import {
  type Inspect,
  cutOverInspector,
  inspector,
  reachingInspector,
  wildcardInspector,
} from "../platform/dns-checks/inspect.ts";
import type { OfferConnect } from "../platform/dns-records/provider-guide.ts";
import { hostNamesOf } from "../edge/hosts.ts";
import { browserStateRepository } from "../pages/console/repository.ts";
import { IDLE_MS } from "../pages/console/sessions.ts";
import { createSignInLinks } from "../pages/console/sign-in-links.ts";
import { servedBy } from "../edge/certificate-store.ts";
import { RETENTION_MS } from "../http/idempotency.ts";
import { openImports } from "../store/import-export/service.ts";
import { undoRepository } from "../store/import-export/undo-repository.ts";
import { openKeys } from "../access/keys/service.ts";
import { openOrders } from "../store/orders/service.ts";
import { openPeople } from "../access/people/service.ts";
import { openPetStreams, type StreamLimits } from "../store/pets/events/streams.ts";
import { openPhotos } from "../store/photos/service.ts";
import { openPets } from "../store/pets/service.ts";
import type { DnsClientOptions } from "../protocols/dns/client.ts";
import { siteCache } from "../platform/sites/site-cache.ts";
import { cachedNames } from "../platform/sites/name-cache.ts";
import { siteService } from "../platform/sites/service.ts";
import { httpsServices, issuanceOf, queueOf } from "./certificates.ts";
import { challengeRecordsOf, delegationOf, storedChallenges, wildcardOf } from "./challenges.ts";
import { type DeployOptions, deployServices } from "./deploys.ts";
import { domainConnectOf } from "./domain-connect.ts";
import { domainServices, nameCheckServices } from "./domains.ts";
import { createNameserver } from "../platform/nameserver/nameserver.ts";
import { serverPlatform } from "./platform.ts";
import { targetRepository } from "../platform/nameserver/repository.ts";
import { noticeRepository } from "../platform/domains/notice-repository.ts";
import { publishedNames } from "../platform/sites/repository.ts";
import type { Context } from "../data/context.ts";
import type { ClockGuard } from "../data/data-dir/clock.ts";
import { createRepositories } from "./repositories.ts";

export interface ServiceOptions extends DeployOptions {
  /** Timeouts and retries of the DNS client. */
  dns?: DnsClientOptions;
  /** These replace the DNS. */
  inspect?: Inspect;
  /** Publishes the records of challenges, instead of the provider in the settings. */
  challengeRecords?: ChallengeRecords;
  addressesOf?: AddressesOf;
  offerConnect?: OfferConnect;
  /** These replace limits of event streams, and their heartbeat interval. */
  streamLimits?: Partial<StreamLimits>;
  /** Stores when keys were last used, instead of the database. */
  touchKeys?: (lastUsed: ReadonlyMap<number, number>) => Promise<void>;
  /** Undefined unless this is a node of one. */
  cluster?: Cluster | undefined;
  /** While it reports a jump, nothing is deleted by age. */
  clockGuard?: Pick<ClockGuard, "jump"> | undefined;
  /** Lets another process index animals before a search. */
  requestIndex?: RequestIndex;
}

/**
 * Removes expired rows in slices, so that other writes get their turn.
 * @param slices each removes some rows, and resolves to true if there may be more
 * @returns a function that sweeps until no expired row is left, or ends after the current slice when its signal aborts
 */
const rowSweeper =
  (slices: readonly (() => Promise<boolean>)[]) =>
  async (signal: AbortSignal): Promise<void> => {
    for (const slice of slices)
      do if (signal.aborted) return;
      while (await slice());
  };

const storeServices = (
  context: Context,
  { streamLimits, touchKeys, requestIndex, clockGuard }: ServiceOptions,
) => {
  const mayDelete = () => clockGuard?.jump() === undefined;
  const byAge = (slice: () => Promise<boolean>) => async () => mayDelete() && slice();
  const { database, clock, randomBytes } = context;
  const access = { ...openAudit(context), ...openPeople(context), keys: openKeys(context, touchKeys) };
  const pets = openPets(context, requestIndex);
  const streams = openPetStreams(context, streamLimits);
  const states = browserStateRepository(database);
  const responses = keptResponseRepository(database);
  const undo = undoRepository(database);
  const fields = openFields(context);
  return {
    ...access,
    pets,
    profiles: openProfiles(context),
    fields,
    petStreams: streams,
    categories: openCategories(context),
    orders: openOrders(context),
    keptResponses: {
      ...responses,
      find: (caller: string, idempotencyKey: string, since: number) =>
        responses.find(caller, idempotencyKey, mayDelete() ? since : -Infinity),
    },
    browserStates: states,
    signInLinks: createSignInLinks(states, access.people, context),
    /** The key that seals sign-ins in progress. The first call in a store creates it. */
    sealingKey: () => states.sealingKey(() => randomToken(randomBytes)),
    /** Removes expired rows, and values of deleted fields. Makes the words of names that an older version stored. */
    sweepRows: rowSweeper([
      pets.makeWords,
      fields.sweepValues,
      byAge(() => responses.sweep(clock.now() - RETENTION_MS)),
      streams.sweep,
      byAge(() => undo.sweep(clock.now())),
      byAge(() => states.sweep(clock.now(), IDLE_MS)),
      byAge(access.audit.sweep),
    ]),
  };
};

export type Services = ReturnType<typeof createServices>;

/** The services of every room over an open database. Nothing listens, and no scheduler runs. */
export const createServices = (context: Context, options: ServiceOptions = {}) => {
  const { config, database, clock } = context;
  const targets = targetRepository(database);
  const repositories = createRepositories(context);
  const names = cachedNames(publishedNames(database), database.version);
  const dns = dnsAccess(config, context, options.dns);
  const inspectOver = (access: typeof dns) =>
    options.inspect ??
    inspector({ ...access, issuance: issuanceOf(config, repositories.certificates, access) });
  const delegation = delegationOf(config, dns);
  const inspect = cutOverInspector(wildcardInspector(inspectOver(dns), delegation), delegation);
  const nameserver = createNameserver(
    context,
    {
      name: (hostname) => https?.certificates.hasValid(hostname) ?? false,
      target: (label) => https !== undefined && targets.isSecured(label, clock.now()),
    },
    storedChallenges(config, repositories.certificates, targets),
  );
  const isServed = servedBy(names, hostNamesOf(config));
  const https =
    config.httpsPort === undefined
      ? undefined
      : httpsServices(context, repositories, {
          inspect,
          dns,
          challengeRecords: options.challengeRecords ?? challengeRecordsOf(context, nameserver?.texts),
          isServed,
          wildcardAbove: (hostname) => {
            const published = names.byHostname(hostname);
            return published && "wildcard" in published ? published.wildcard : undefined;
          },
        });
  const addressesOf = options.addressesOf ?? targetAddressLookup(dns, clock);
  const connect = domainConnectOf(context, { dns, addressesOf });
  // This also creates the key: if that is impossible, the start fails.
  for (const { name, value } of connect?.keyRecords() ?? []) nameserver?.texts.add(name, value);
  const offerConnect = options.offerConnect ?? connect?.offer;
  const platform = domainServices(context, repositories, {
    addressesOf,
    offerConnect,
    inspect: https ? reachingInspector(inspect, https.tryToReach) : inspect,
    dns,
    onRemoved(hostname) {
      // A wildcard may still serve it.
      https?.certificates.refresh(hostname);
      https?.certificates.withdraw();
    },
    nodes: options.cluster?.liveNodes,
  });
  const deploys = deployServices(context, platform.projects, options);
  const store = storeServices(context, options);
  return {
    ...store,
    expiries: () => withoutReplaced(repositories.certificates.expiries(), wildcardOf(config), clock.now()),
    certificateQueue: queueOf(config, repositories.certificates, clock),
    /** The current problems of host names. */
    notices: noticeRepository(database),
    ...platform,
    ...nameCheckServices(config, inspect, () => inspectOver(dnsAccess(config, context, options.dns)), {
      clock,
      offerConnect,
    }),
    ...deploys,
    imports: openImports(context, { categories: store.categories, fields: store.fields, problemOfName }),
    photos: openPhotos(context, deploys.photoFiles.storage),
    sites: siteService(context, { names, sites: siteCache(deploys.blobs) }),
    https,
    platformWatch: serverPlatform(context, { inspect, openProbe: https?.openProbe }),
    nameserver,
  };
};
