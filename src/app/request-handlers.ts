import type { Config } from "../config/config.ts";
import { createCeremonies } from "../pages/console/cookies.ts";
import { createGateway } from "../pages/console/gateway.ts";
import { createSessions } from "../pages/console/sessions.ts";
import { openDatabase } from "../data/db/open.ts";
import { storeIdOf } from "../data/db/store-id.ts";
import { challengeForwarder, challengeHandler, dispatcher } from "../edge/dispatch.ts";
import { type Connections, connectionsOf } from "../edge/connections.ts";
import { createApp } from "../http/app.ts";
import { hostNamesOf, hostParser } from "../edge/hosts.ts";
import { httpsOnly } from "../edge/https-only.ts";
import { publicPort } from "../lib/host-addresses.ts";
import type { Limiters } from "../edge/workers/limiters.ts";
import { type OwnerSocket, forwarder } from "../edge/forwarding.ts";
import { writeForwarder } from "../edge/write-forwarding.ts";
import { finishUnrouted, misdirectedResponse, refusedResponse } from "../edge/error-response.ts";
import type { Handler } from "../edge/http-listener.ts";
import { refusedHosts } from "../edge/refused-hosts.ts";
import { cors, finishRequest } from "../http/lifecycle.ts";
import { macros } from "../http/macros.ts";
import { metrics } from "../http/metrics.ts";
import { clientAddress, clientNetwork } from "../lib/client-address.ts";
import { rateLimiter } from "../lib/rate-limiter.ts";
import { type Vitals, readinessChecks, processCounters, processGauges, readinessWarnings } from "./health.ts";
import { type Documents, generateDocuments } from "../pages/openapi/document.ts";
import type { RelyingParty } from "../access/people/person.ts";
import { createRoutes } from "./routes.ts";
import { commandContext, type Context } from "../data/context.ts";
import { type Services, createServices } from "./services.ts";
import { VERSION } from "../lib/version.ts";

/**
 * The site that a request is for: BASE_URL, or the request's own host, which the dispatcher has accepted as one of the API's.
 * A browser's `Origin` shows which of the two it uses. The scheme never comes from a client.
 */
const consoleSite =
  ({ baseUrl }: Pick<Config, "baseUrl">, isSecure: (request: Request) => boolean) =>
  (request: Request): RelyingParty => {
    const { protocol, host } = new URL(request.url);
    const own = new URL(`${isSecure(request) ? "https:" : protocol}//${host}`);
    const configured = new URL(baseUrl ?? own);
    const site = request.headers.get("origin") === own.origin ? own : configured;
    return { origin: site.origin, id: site.hostname };
  };

/** The listeners' state, for the application. */
interface ListenerContext extends Vitals {
  connections: Connections;
  /** The port in the server's addresses, unless BASE_URL names one. */
  port: number;
  /** The port for HTTPS. */
  httpsPort: number;
  /** In a worker: the process that started it, which responds to everything but plain reads. */
  owner?: Owner;
}

interface Owner {
  /** The socket for its requests. */
  socket: OwnerSocket;
  /** Aborted when this worker stops. */
  stopping: AbortSignal;
  /** They count for all processes. */
  limiters: Limiters;
}

/** How many nodes share the limits; undefined without a cluster. */
type CountNodes = (() => number) | undefined;

const ownLimiters = (nodes: CountNodes): Limiters => ({
  requests: rateLimiter("key", "requests", nodes),
  failures: rateLimiter("failures", "failed authentications", nodes),
});

/** The context of an application without listeners. */
export const noListeners = ({ port, httpsPort }: Config): ListenerContext => ({
  connections: connectionsOf([]),
  port,
  httpsPort: httpsPort ?? 0,
  fileUse: () => ({ open: 0, limit: Number.POSITIVE_INFINITY }),
  backupStatus: () => undefined,
});

/** The limits per client for failed authentications and attempts to sign in. */
const clientLimits = (
  { authFailuresPerMinute, trustProxy }: Config,
  { peerOf, isDirect }: Connections,
  { failures }: Limiters,
) => ({
  failures,
  failureRate: { requests: authFailuresPerMinute, seconds: 60 },
  clientOf: (request: Request) =>
    clientNetwork(
      clientAddress(
        peerOf(request),
        isDirect(request) ? null : request.headers.get("x-forwarded-for"),
        trustProxy,
      ),
    ),
});

/** A file that is read ahead takes 0.25 MB, in parts a tenth of it, but more CPU time. */
const MAX_READ_AHEAD = 64;

/** Attempts to sign in that one client may begin: each takes the CPU time of a response. */
const ATTEMPTS = { requests: 60, seconds: 60 };

const consoleParts = (
  context: Context,
  { people, browserStates: states, signInLinks, sealingKey, refusedSignIns }: Services,
  { isDirect }: Connections,
  { failures, failureRate, clientOf }: ReturnType<typeof clientLimits>,
  { clusterNode }: Pick<Vitals, "clusterNode">,
) => {
  const { config } = context;
  const sessions = createSessions(states, context);
  const isSecure = (request: Request) => isDirect(request) || (config.baseUrl?.startsWith("https:") ?? false);
  const attempts = rateLimiter("sign-ins", "attempts to sign in", clusterNode?.liveNodes);
  const gateway = createGateway(sessions, states.fresh, isSecure, async (holder) =>
    holder.kind === "operator" ? signInLinks.caller() : people.signedIn(holder),
  );
  return {
    parts: {
      sessions,
      isSecure,
      ceremonies: createCeremonies(states, context.clock, sealingKey),
      gateway,
      partyOf: consoleSite(config, isSecure),
      attempt: (request: Request) => attempts.take(clientOf(request), ATTEMPTS),
      fail(request: Request) {
        refusedSignIns.record(clientOf(request));
        return failures.take(clientOf(request), failureRate);
      },
    },
    callers: {
      personOf: gateway.callerOf,
      /** Counts a wrong key at the console. */
      onRefused(request: Request) {
        const { pathname } = new URL(request.url);
        if (request.method === "POST" && pathname === "/console/session")
          refusedSignIns.record(clientOf(request));
      },
    },
  };
};

/** The handlers that listeners call. */
export const createRequestHandlers = (
  context: Context,
  services: Services,
  { connections, port, httpsPort, owner, ...vitals }: ListenerContext,
) => {
  const { config, database, log } = context;
  const { https, sites, expiries } = services;
  const { clusterNode } = vitals;
  const requestMetrics = metrics({
    version: VERSION,
    expiries,
    gauges: processGauges(services, vitals),
    counters: processCounters(services, vitals),
    others: vitals.others,
  });
  const limiters = owner?.limiters ?? ownLimiters(vitals.clusterNode?.liveNodes);
  const limits = clientLimits(config, connections, limiters);
  const { parts: console, callers } = consoleParts(context, services, connections, limits, vitals);
  const routeMacros = macros({
    ...limits,
    authenticate: services.keys.authenticate,
    ...callers,
    requests: limiters.requests,
    ...(clusterNode && { nodeOf: clusterNode.nodeRequests.nodeOf }),
    responses: services.keptResponses,
    clock: context.clock,
    bodyLimit: config.bodyLimit,
  });
  const app = createApp(
    {
      macros: routeMacros,
      metrics: requestMetrics,
      log,
      onError: database.suspect,
      cors: cors(config.corsOrigins),
    },
    createRoutes(context, services, {
      macros: routeMacros,
      metrics: requestMetrics,
      connections,
      port,
      console: { ...console, storeId: storeIdOf(database.client) ?? "" },
      personOf: callers.personOf,
      clientOf: limits.clientOf,
      checks: readinessChecks(config, database, vitals),
      warnings: readinessWarnings(context, services, vitals),
      documents: (): Promise<Documents> => generateDocuments(app),
    }),
  );
  const parseHost = hostParser(hostNamesOf(config));
  const finish = finishRequest({ metrics: requestMetrics, log });
  const refused = refusedHosts(context);
  const finishOther = finishUnrouted(finish);
  const forward = owner && forwarder({ ...owner, ...connections, finish: finishOther });
  const api = config.console ? console.gateway.respond(app.fetch) : app.fetch;
  const write =
    clusterNode?.writes &&
    writeForwarder({ ...clusterNode, ...clusterNode.writes, connections, finish: finishOther });
  const dispatch = dispatcher({
    parseHost,
    refuse: forward ?? refusedResponse(refused.add, finishOther),
    ...(https && {
      respondToChallenge: forward ? challengeForwarder(forward) : challengeHandler(https.challenge),
      // Under names with a certificate.
      httpsOnly: httpsOnly({
        parseHost,
        peerOf: connections.peerOf,
        trustsProxy: config.trustProxy > 0,
        isSecured: https.certificates.hasValid,
        port: publicPort(config.baseUrl, httpsPort),
      }),
    }),
    api: write?.(api) ?? api,
    forward,
    sites,
    mustSaveMemory: () => (vitals.responseUse?.().open ?? 0) > MAX_READ_AHEAD,
    recent: database.recent,
    finishRequest: finish,
    onError: database.suspect,
    log,
  });
  const fetch = clusterNode?.writes
    ? clusterNode.nodeRequests.accept(dispatch, connections.keepOpen)
    : dispatch;
  const misdirected: Handler = misdirectedResponse(parseHost, finishOther);
  return { app, fetch, misdirected, refusedHosts: refused, metrics: requestMetrics, limiters };
};

/** The OpenAPI documents of this program. They describe an application over an empty database. */
export const programDocuments = async (config: Config): Promise<Documents> => {
  const database = openDatabase(":memory:");
  try {
    const context = commandContext(config, database);
    const { app } = createRequestHandlers(context, createServices(context), noListeners(config));
    return await generateDocuments(app);
  } finally {
    await database.close();
  }
};
