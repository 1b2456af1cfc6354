import { randomBytes } from "node:crypto";
import { calculateJwkThumbprint, flattenedVerify, type FlattenedJWSInput, type JWK } from "jose";
import { type Clock, formatTime, systemClock } from "../../src/lib/time.ts";
import { type IssuedCertificate, type Refusal, Rejection, issuer, rejection } from "./acme-issuer.ts";

/** A CA on loopback: the parts of RFC 8555, 8737 and 9773 that the service uses, with faults on request. */

export type ResourceKind =
  | "directory"
  | "new-nonce"
  | "new-account"
  | "orders"
  | "new-order"
  | "order"
  | "authorization"
  | "challenge"
  | "finalize"
  | "certificate"
  | "revoke-cert"
  | "renewal-info";

export type CaFault = Refusal | ((request: Request) => Response | Promise<Response>);

export type TestChallengeType = "http-01" | "tls-alpn-01" | "dns-01";

export interface AcmeCaOptions {
  /** True if the challenge succeeds; by default all do. */
  validate?: (type: TestChallengeType, name: string, token: string, thumbprint: string) => Promise<boolean>;
  /** Whether an account links to its orders, as pebble does, and Let's Encrypt does not. */
  listsOrders?: boolean;
  /** By default 90 days less a second, because the last second is part of the lifetime (RFC 5280 section 4.1.2.5). */
  lifetimeMs?: number;
  /** The share of good nonces to reject, from 0 to 1: the first one, then evenly distributed. */
  nonceRejection?: number;
  /** The external account binding that an account needs. */
  eab?: { kid: string; hmac: string };
  /** Its certificate profiles (draft-ietf-acme-profiles), each with the lifetime of its certificates in milliseconds. */
  profiles?: Record<string, number>;
  /** False: no renewal information. A function returns another window than the default. */
  ari?:
    boolean | ((certificate: IssuedCertificate) => { start: number; end: number; explanationURL?: string });
  /** How many times an order reads as `processing` before it is `valid`. */
  processingReads?: number;
  /** Retry-After of unfinished resources, in seconds. */
  retryAfter?: number;
  clock?: Clock;
}

interface TestAccount {
  url: string;
  key: JWK;
  thumbprint: string;
  contact: string[];
}

interface TestChallenge {
  id: string;
  type: TestChallengeType;
  token: string;
  status: "pending" | "processing" | "valid" | "invalid";
  error?: object;
}

interface TestAuthorization {
  id: string;
  account: TestAccount;
  name: string;
  isWildcard: boolean;
  status: "pending" | "valid" | "invalid";
  challenges: TestChallenge[];
}

export interface TestOrder {
  id: string;
  account: TestAccount;
  names: string[];
  status: "pending" | "ready" | "processing" | "valid" | "invalid";
  expires: number;
  authorizations: TestAuthorization[];
  /** Remaining reads before it is `valid`. */
  reads: number;
  replaces?: string;
  profile?: string;
  error?: object;
  certificate?: IssuedCertificate;
}

const TYPES = ["http-01", "tls-alpn-01", "dns-01"] as const satisfies TestChallengeType[];

const DAY_MS = 24 * 60 * 60_000;
const ERROR = "urn:ietf:params:acme:error:";

const identifier = (): string => randomBytes(16).toString("base64url");

const problemDocument = ({ status, problem, retryAfter }: Refusal): Response =>
  new Response(problem ? JSON.stringify({ ...problem, type: ERROR + problem.type, status }) : "no", {
    status,
    headers: {
      "content-type": problem ? "application/problem+json" : "text/plain",
      ...(retryAfter !== undefined && { "retry-after": String(retryAfter) }),
    },
  });

const decodeJson = (text: unknown): Record<string, unknown> => {
  const bytes = Buffer.from(String(text), "base64url").toString();
  return bytes === "" ? {} : (JSON.parse(bytes) as Record<string, unknown>);
};

/** Starts a CA. It stops with the scope that started it. */
export const acmeCa = async ({
  validate = () => Promise.resolve(true),
  lifetimeMs = 90 * DAY_MS - 1000,
  nonceRejection = 0,
  eab,
  profiles,
  ari = true,
  listsOrders = true,
  processingReads = 0,
  retryAfter,
  clock = systemClock,
}: AcmeCaOptions = {}) => {
  const { rootPem, issue } = await issuer(clock);
  const nonces = new Set<string>();
  const accounts = new Map<string, TestAccount>();
  const orders = new Map<string, TestOrder>();
  const certificates: IssuedCertificate[] = [];
  const faults = new Map<ResourceKind, CaFault[]>();
  /** The number of requests, including rejected ones. */
  const requests = new Map<ResourceKind, number>();
  const validations: Promise<void>[] = [];
  let rejected = 0;
  let nonceUses = 0;
  let base = "";

  const newNonce = (): string => {
    const nonce = identifier();
    nonces.add(nonce);
    return nonce;
  };

  const urlOf = (kind: ResourceKind, id = ""): string => `${base}/${kind}${id === "" ? "" : `/${id}`}`;

  const respondJson = (body: object | null, { status = 200, headers = {} }: ResponseInit = {}): Response =>
    new Response(body && JSON.stringify(body), {
      status,
      headers: { ...(headers as Record<string, string>), "content-type": "application/json" },
    });

  const retryHeaders = (isDone: boolean): Record<string, string> =>
    isDone || retryAfter === undefined ? {} : { "retry-after": String(retryAfter) };

  const useNonce = (nonce: unknown) => {
    const isGood = nonces.delete(String(nonce));
    if (isGood) nonceUses += 1;
    const isRejected = isGood && Math.ceil(nonceUses * nonceRejection) > rejected;
    if (isRejected) rejected += 1;
    if (!isGood || isRejected) throw rejection(400, "badNonce", "the nonce is not good");
  };

  const accountOf = (url: unknown): TestAccount => {
    const account = accounts.get(String(url));
    if (!account) throw rejection(400, "accountDoesNotExist", "there is no such account");
    return account;
  };

  /** Reads and verifies a signed request (RFC 8555 section 6.2). */
  const readRequest = async (request: Request) => {
    if (request.headers.get("content-type") !== "application/jose+json")
      throw rejection(415, "malformed", "the content type must be application/jose+json");
    if (!request.headers.get("user-agent")) throw rejection(400, "malformed", "no User-Agent");
    const jws = (await request.json()) as FlattenedJWSInput;
    const { alg, nonce, url, kid, jwk } = decodeJson(jws.protected);
    if (alg !== "ES256") throw rejection(400, "badSignatureAlgorithm", "ES256 only");
    useNonce(nonce);
    if (url !== request.url) throw rejection(401, "unauthorized", "signed for another URL");
    if ((kid === undefined) === (jwk === undefined)) throw rejection(400, "malformed", "either kid or jwk");
    const account = kid === undefined ? undefined : accountOf(kid);
    const key = account?.key ?? (jwk as JWK);
    await flattenedVerify(jws, key).catch(() => {
      throw rejection(400, "malformed", "the signature is wrong");
    });
    return { payload: decodeJson(jws.payload), isEmpty: jws.payload === "", account, key };
  };

  type Read = Awaited<ReturnType<typeof readRequest>>;

  const accountIn = ({ account }: Read): TestAccount => {
    if (!account) throw rejection(400, "malformed", "kid is missing");
    return account;
  };

  const assertBinding = async (binding: unknown, key: JWK) => {
    if (!eab) return;
    if (!binding) throw rejection(403, "externalAccountRequired", "an external account is required");
    const jws = binding as FlattenedJWSInput;
    const { kid, url, alg } = decodeJson(jws.protected);
    const verified = await flattenedVerify(jws, Buffer.from(eab.hmac, "base64url")).catch(() => undefined);
    const isSameKey = JSON.stringify(decodeJson(jws.payload)) === JSON.stringify(key);
    if (!verified || alg !== "HS256" || kid !== eab.kid || url !== urlOf("new-account") || !isSameKey)
      throw rejection(401, "unauthorized", "the external account binding is wrong");
  };

  const readAccount = (read: Read): Response => {
    accountIn(read);
    return respondJson({ status: "valid", ...(listsOrders && { orders: urlOf("orders") }) });
  };

  const listOrders = (read: Read): Response => {
    const account = accountIn(read);
    const own = orders.values().filter((order) => order.account === account);
    return respondJson({ orders: Array.from(own, ({ id }) => urlOf("order", id)) });
  };

  const makeAccount = async ({ payload, key }: Read): Promise<Response> => {
    const thumbprint = await calculateJwkThumbprint(key);
    const known = accounts.values().find((account) => account.thumbprint === thumbprint);
    if (known) return respondJson({ status: "valid" }, { headers: { location: known.url } });
    if (payload["termsOfServiceAgreed"] !== true)
      throw rejection(403, "userActionRequired", "the terms of service must be agreed to");
    await assertBinding(payload["externalAccountBinding"], key);
    const url = urlOf("new-account", identifier());
    const contact = (payload["contact"] ?? []) as string[];
    accounts.set(url, { url, key, thumbprint, contact });
    return respondJson({ status: "valid", contact }, { status: 201, headers: { location: url } });
  };

  /** Derives the status of an order from its authorizations, until it is finalized. */
  const updateStatus = (order: TestOrder) => {
    if (order.expires <= clock.now() && order.status !== "valid") order.status = "invalid";
    if (order.status !== "pending") return;
    const statuses = order.authorizations.map(({ status }) => status);
    if (statuses.every((status) => status === "valid")) order.status = "ready";
    if (statuses.some((status) => status === "invalid")) {
      order.status = "invalid";
      order.error = { type: `${ERROR}unauthorized`, detail: "an authorization failed", status: 403 };
    }
  };

  const describeOrder = (order: TestOrder, status = 200): Response => {
    const { id, names, authorizations, certificate, replaces, profile, error, expires } = order;
    const body = {
      status: order.status,
      expires: formatTime(expires),
      identifiers: names.map((value) => ({ type: "dns", value })),
      authorizations: authorizations.map((one) => urlOf("authorization", one.id)),
      finalize: urlOf("finalize", id),
      ...(order.status === "valid" && certificate && { certificate: urlOf("certificate", id) }),
      ...(replaces !== undefined && { replaces }),
      ...(profile !== undefined && { profile }),
      ...(error && { error }),
    };
    return respondJson(body, {
      status,
      headers: {
        location: urlOf("order", id),
        ...retryHeaders(["valid", "invalid", "ready"].includes(order.status)),
      },
    });
  };

  const assertReplaceable = (replaces: string) => {
    if (!certificates.some(({ ariId }) => ariId === replaces))
      throw rejection(404, "malformed", "replaces names no certificate");
    if (orders.values().some((order) => order.replaces === replaces && order.status !== "invalid"))
      throw rejection(409, "alreadyReplaced", "it is replaced already");
  };

  const makeOrder = (read: Read): Response => {
    const account = accountIn(read);
    const identifiers = (read.payload["identifiers"] ?? []) as { type: string; value: string }[];
    const names = identifiers.map(({ value }) => value);
    if (names.length === 0 || identifiers.some(({ type }) => type !== "dns"))
      throw rejection(400, "unsupportedIdentifier", "DNS names only");
    const replaces = read.payload["replaces"] as string | undefined;
    if (replaces !== undefined) assertReplaceable(replaces);
    const profile = read.payload["profile"] as string | undefined;
    if (profile !== undefined && profiles?.[profile] === undefined)
      throw rejection(400, "invalidProfile", "there is no such profile");
    const order: TestOrder = {
      id: identifier(),
      account,
      names,
      status: "pending",
      expires: clock.now() + DAY_MS,
      reads: 0,
      authorizations: names.map((name) => ({
        id: identifier(),
        account,
        // RFC 8555 section 7.1.4: the authorization of a wildcard is for its domain, and only the DNS proves that.
        name: name.replace(/^\*\./, ""),
        isWildcard: name.startsWith("*."),
        status: "pending",
        challenges: TYPES.filter((type) => type === "dns-01" || !name.startsWith("*.")).map((type) => ({
          id: identifier(),
          type,
          token: identifier(),
          status: "pending",
        })),
      })),
      ...(replaces !== undefined && { replaces }),
      ...(profile !== undefined && { profile }),
    };
    orders.set(order.id, order);
    return describeOrder(order, 201);
  };

  const requireOwn = <Thing extends { account: TestAccount }>(
    thing: Thing | undefined,
    read: Read,
  ): Thing => {
    if (!thing) throw rejection(404, "malformed", "there is no such thing");
    if (thing.account !== accountIn(read)) throw rejection(401, "unauthorized", "it is another account's");
    return thing;
  };

  const readOrder = (id: string, read: Read): Response => {
    const order = requireOwn(orders.get(id), read);
    updateStatus(order);
    if (order.status === "processing" && order.reads-- <= 0) order.status = "valid";
    return describeOrder(order);
  };

  const authorizations = () => orders.values().flatMap((order) => order.authorizations);

  const describeChallenge = ({ id, type, token, status, error }: TestChallenge) => ({
    type,
    token,
    status,
    url: urlOf("challenge", id),
    ...(error && { error }),
  });

  const readAuthorization = (id: string, read: Read): Response => {
    const authorization = requireOwn(
      authorizations().find((one) => one.id === id),
      read,
    );
    const { name, isWildcard, status, challenges } = authorization;
    return respondJson(
      {
        status,
        identifier: { type: "dns", value: name },
        ...(isWildcard && { wildcard: true }),
        challenges: [
          ...challenges.map(describeChallenge),
          // CAs may offer challenges of unknown types.
          { type: "carrier-pigeon-01", url: urlOf("challenge", "pigeon"), status: "pending" },
        ],
        expires: formatTime(clock.now() + DAY_MS),
      },
      { headers: retryHeaders(status !== "pending") },
    );
  };

  const conclude = async (challenge: TestChallenge, authorization: TestAuthorization) => {
    const { type, token } = challenge;
    const { name, account } = authorization;
    const isMet = await validate(type, name, token, account.thumbprint).catch(() => false);
    if (authorization.status !== "pending") return;
    challenge.status = isMet ? "valid" : "invalid";
    authorization.status = challenge.status;
    if (!isMet)
      challenge.error = {
        type: `${ERROR}unauthorized`,
        detail: `${type} of ${name} is not met`,
        status: 403,
      };
  };

  const respond = (id: string, read: Read): Response => {
    const found = authorizations()
      .flatMap((authorization) => authorization.challenges.map((challenge) => ({ challenge, authorization })))
      .find(({ challenge }) => challenge.id === id);
    const authorization = requireOwn(found?.authorization, read);
    const challenge = found?.challenge as TestChallenge;
    if (!read.isEmpty && challenge.status === "pending") {
      if (authorization.status !== "pending")
        throw rejection(400, "malformed", "the authorization is not pending");
      challenge.status = "processing";
      validations.push(conclude(challenge, authorization));
    }
    return respondJson(describeChallenge(challenge), { headers: retryHeaders(challenge.status === "valid") });
  };

  const finalize = async (id: string, read: Read): Promise<Response> => {
    const order = requireOwn(orders.get(id), read);
    updateStatus(order);
    if (order.status !== "ready") throw rejection(403, "orderNotReady", `the order is ${order.status}`);
    order.certificate = await issue(
      Buffer.from(String(read.payload["csr"]), "base64url"),
      order.names,
      profiles?.[order.profile ?? ""] ?? lifetimeMs,
    );
    certificates.push(order.certificate);
    order.status = processingReads > 0 ? "processing" : "valid";
    order.reads = processingReads - 1;
    return describeOrder(order);
  };

  const download = (id: string, read: Read): Response => {
    const { certificate } = requireOwn(orders.get(id), read);
    if (!certificate) throw rejection(404, "malformed", "there is no such certificate");
    return new Response(certificate.chain, {
      headers: { "content-type": "application/pem-certificate-chain" },
    });
  };

  const revoke = (read: Read): Response => {
    const account = accountIn(read);
    const der = Buffer.from(String(read.payload["certificate"]), "base64url");
    const order = orders.values().find(({ certificate }) => certificate && der.equals(certificate.der));
    if (!order?.certificate) throw rejection(404, "malformed", "there is no such certificate");
    if (order.account !== account) throw rejection(403, "unauthorized", "it is another account's");
    if (order.certificate.revoked) throw rejection(400, "alreadyRevoked", "it is revoked already");
    order.certificate.revoked = { reason: (read.payload["reason"] as number | undefined) ?? 0 };
    return respondJson(null);
  };

  const renewalInfo = (id: string): Response => {
    const certificate = certificates.find(({ ariId }) => ariId === id);
    if (!certificate) throw rejection(404, "malformed", "there is no such certificate");
    const { notBefore, notAfter } = certificate;
    const third = (notAfter - notBefore) / 3;
    const usual = { start: notAfter - third, end: notAfter - third / 2 };
    const { start, end, ...more } = typeof ari === "function" ? ari(certificate) : usual;
    return respondJson(
      { suggestedWindow: { start: formatTime(start), end: formatTime(end) }, ...more },
      { headers: { "retry-after": "21600" } },
    );
  };

  const directory = (): Response =>
    respondJson({
      newNonce: urlOf("new-nonce"),
      newAccount: urlOf("new-account"),
      newOrder: urlOf("new-order"),
      revokeCert: urlOf("revoke-cert"),
      keyChange: urlOf("new-account", "key-change"),
      ...(ari !== false && { renewalInfo: urlOf("renewal-info") }),
      meta: {
        termsOfService: `${base}/terms`,
        caaIdentities: ["ca.example"],
        externalAccountRequired: eab !== undefined,
        ...(profiles && {
          profiles: Object.fromEntries(Object.keys(profiles).map((name) => [name, `${base}/terms`])),
        }),
      },
    });

  const signed = (kind: ResourceKind, id: string, read: Read): Response | Promise<Response> => {
    switch (kind) {
      case "new-account":
        return id === "" ? makeAccount(read) : readAccount(read);
      case "orders":
        return listOrders(read);
      case "new-order":
        return makeOrder(read);
      case "order":
        return readOrder(id, read);
      case "authorization":
        return readAuthorization(id, read);
      case "challenge":
        return respond(id, read);
      case "finalize":
        return finalize(id, read);
      case "certificate":
        return download(id, read);
      case "revoke-cert":
        return revoke(read);
      default:
        throw rejection(404, "malformed", "there is no such resource");
    }
  };

  const resource = async (request: Request, kind: ResourceKind, id: string): Promise<Response> => {
    if (kind === "directory") return directory();
    if (kind === "new-nonce") return new Response(null, { status: request.method === "HEAD" ? 200 : 204 });
    if (kind === "renewal-info" && ari !== false) return renewalInfo(id);
    if (request.method !== "POST") throw rejection(405, "malformed", "POST only");
    return signed(kind, id, await readRequest(request));
  };

  const handle = async (request: Request): Promise<Response> => {
    const [, kind, id = ""] = new URL(request.url).pathname.split("/") as [string, ResourceKind, string?];
    requests.set(kind, (requests.get(kind) ?? 0) + 1);
    const fault = faults.get(kind)?.shift();
    if (typeof fault === "function") return fault(request);
    const response = await (fault ? Promise.reject(new Rejection(fault)) : resource(request, kind, id)).catch(
      (error: unknown) =>
        problemDocument(
          error instanceof Rejection
            ? error.refusal
            : { status: 500, problem: { type: "serverInternal", detail: String(error) } },
        ),
    );
    if (kind !== "directory" && kind !== "renewal-info") response.headers.set("replay-nonce", newNonce());
    return response;
  };

  const listen = (port: number) => Bun.serve({ hostname: "127.0.0.1", port, fetch: handle });
  let server: ReturnType<typeof listen> | undefined = listen(0);
  const port = server.port ?? 0;
  base = `http://127.0.0.1:${port}`;

  return {
    directory: `${base}/directory`,
    /** PEM. */
    root: rootPem,
    requests,
    /** All orders, the oldest first. */
    orders: (): TestOrder[] => [...orders.values()],
    /** All issued certificates, the oldest first. */
    certificates: certificates as readonly IssuedCertificate[],
    accounts: (): TestAccount[] => [...accounts.values()],
    /** The number of good nonces that were rejected. */
    rejected: () => rejected,
    /** Makes the next requests of this kind fail. */
    failNext(kind: ResourceKind, fault: CaFault, times = 1) {
      faults.set(kind, [...(faults.get(kind) ?? []), ...Array.from({ length: times }, () => fault)]);
    },
    /** Invalidates all nonces. */
    forgetNonces: () => nonces.clear(),
    forgetAccounts: () => accounts.clear(),
    /** Makes all orders expire now. Valid ones stay valid. */
    expireOrders() {
      for (const order of orders.values()) order.expires = clock.now();
    },
    /** Resolves when all started validations have finished. */
    validated: () => Promise.all(validations),
    /** Refuses connections until `up`. */
    async down() {
      await server?.stop(true);
      server = undefined;
    },
    up() {
      server ??= listen(port);
    },
    async [Symbol.asyncDispose]() {
      await server?.stop(true);
    },
  };
};

export type AcmeCa = Awaited<ReturnType<typeof acmeCa>>;
