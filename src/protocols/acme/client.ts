import { reasonOf } from "../../lib/reason.ts";
import type { Clock } from "../../lib/time.ts";
import { splitChain } from "./certificate.ts";
import {
  type AccountKey,
  type ExternalAccount,
  type Signer,
  externalAccountBinding,
  signedBody,
} from "./keys.ts";
import {
  type Directory,
  type Order,
  malformed,
  readAuthorization,
  readChallenge,
  readDirectory,
  readFields,
  readList,
  readOrder,
  readRenewalInfo,
  readUrl,
} from "./objects.ts";
import { AcmeProblem, printable, readProblem, readRetryAfter } from "./problem.ts";
import { attempt } from "../../lib/attempt.ts";

/** The type of Bun's own `fetch`. */
type Fetch = (url: string, init: BunFetchRequestInit) => Promise<Response>;

interface AcmeRequest {
  method: "GET" | "HEAD" | "POST";
  accept: string;
  /** Sent as `application/jose+json`. */
  body?: string;
}

interface AcmeResponse {
  status: number;
  headers: Headers;
  body: string;
}

const MAX_BYTES = 1024 * 1024;
const MAX_MS = 30_000;

const isLoopback = (hostname: string): boolean =>
  hostname === "localhost" || hostname === "[::1]" || /^127(?:\.[0-9]{1,3}){3}$/.test(hostname);

/**
 * HTTPS, or HTTP to loopback if the directory is there too: a remote CA cannot make us send requests to this machine.
 * @throws AcmeProblem
 */
const assertAllowed = (text: string, directory: string): void => {
  const url = URL.parse(text);
  const isAllowed =
    url?.protocol === "https:" ||
    (url?.protocol === "http:" &&
      [url, URL.parse(directory)].every((one) => isLoopback(one?.hostname ?? "")));
  if (!isAllowed) throw malformed(`${text} is not an https URL`);
};

const UNTRUSTED = /CERT|SIGNATURE|ISSUER|TLS|SSL/;

/** By the code of the error that `fetch` rejects with. */
const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection closed",
  ENOTFOUND: "DNS does not resolve its name",
  EAI_AGAIN: "DNS does not respond, so its name does not resolve",
  ETIMEDOUT: "timed out",
  EHOSTUNREACH: "no route to it",
  ENETUNREACH: "no route to it",
};

const networkReason = (error: unknown): string => {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (REASONS[code] !== undefined) return REASONS[code];
  if (UNTRUSTED.test(code)) return `its certificate is not trusted (${code})`;
  return code || reasonOf(error);
};

/** @throws AcmeProblem if it is too large */
const readBody = async ({ body }: Response): Promise<string> => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > MAX_BYTES) throw malformed(`more than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
};

/**
 * With `ca`, Bun trusts nothing else: the default CAs are added.
 * @param ca PEM
 */
const tlsOptions = async (ca: string | undefined): Promise<Pick<BunFetchRequestInit, "tls">> => {
  if (ca === undefined) return {};
  const { getCACertificates } = await import("node:tls");
  return { tls: { ca: [...getCACertificates("default"), ca] } };
};

interface RequestOptions {
  /** The directory's URL. */
  directory: string;
  /** PEM: CAs to trust for the server's own certificate, in addition to those of the system. */
  ca?: string;
  userAgent?: string;
}

interface AcmeDependencies {
  fetch: Fetch;
  sleep(milliseconds: number): Promise<unknown>;
  clock: Clock;
  /** For each request; 30 seconds by default. */
  timeoutMs?: number;
}

/** Sends requests to the CA of one directory (RFC 8555 section 6.1), bounded in size and time. Redirects are not followed. */
const transport = (
  { directory, ca, userAgent }: RequestOptions,
  { fetch, timeoutMs = MAX_MS }: AcmeDependencies,
) => {
  let tls: ReturnType<typeof tlsOptions> | undefined;
  /** @throws AcmeProblem without a response, or if it is too large */
  return async (url: string, { method, accept, body }: AcmeRequest): Promise<AcmeResponse> => {
    assertAllowed(url, directory);
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const response = await fetch(url, {
        method,
        headers: {
          // Without one, Bun sends its own: RFC 8555 section 6.1 requires a User-Agent.
          ...(userAgent !== undefined && { "user-agent": userAgent }),
          "accept-language": "en",
          "accept-encoding": "identity",
          accept,
          ...(body !== undefined && { "content-type": "application/jose+json" }),
        },
        ...(body !== undefined && { body }),
        ...(await (tls ??= tlsOptions(ca))),
        redirect: "manual",
        decompress: false,
        signal,
      });
      return { status: response.status, headers: response.headers, body: await readBody(response) };
    } catch (error) {
      if (error instanceof AcmeProblem) throw error;
      const reason = signal.aborted ? `timed out after ${timeoutMs} ms` : networkReason(error);
      throw new AcmeProblem({ type: "unreachable", detail: printable(`${new URL(url).origin}: ${reason}`) });
    }
  };
};

const JSON_TYPE = "application/json";
const MAX_NONCE_RETRIES = 10;
const MAX_NONCES = 32;
/** RFC 8555 section 6.5.1. */
const NONCE = /^[A-Za-z0-9_-]{1,512}$/;

const parse = (text: string) => attempt((): unknown => JSON.parse(text));

const jsonOf = ({ body }: AcmeResponse): unknown => {
  const value = parse(body);
  if (value === undefined) throw malformed("not JSON");
  return value;
};

/** Requests to one CA, signed where RFC 8555 section 6.2 requires it. */
const acmeRequests = (options: RequestOptions, dependencies: AcmeDependencies) => {
  const { sleep, clock } = dependencies;
  const send = transport(options, dependencies);
  /** RFC 8555 section 6.5: a nonce is used once, the newest first. */
  const nonces: string[] = [];
  let cachedDirectory: Directory | undefined;

  const retryAfterOf = ({ headers }: AcmeResponse): number | undefined =>
    readRetryAfter(headers.get("retry-after"), clock.now());

  /** @throws AcmeProblem for a status other than 2xx */
  const request = async (url: string, init: AcmeRequest): Promise<AcmeResponse> => {
    const response = await send(url, init);
    const { status, headers } = response;
    const nonce = headers.get("replay-nonce") ?? "";
    if (NONCE.test(nonce)) nonces.push(nonce);
    if (nonces.length > MAX_NONCES) nonces.shift();
    if (status >= 200 && status < 300) return response;
    if (status < 400) throw malformed(`status ${status}: redirects are not followed`);
    throw new AcmeProblem(
      readProblem(parse(response.body), { status, retryAfterMs: retryAfterOf(response) }),
    );
  };

  const get = (url: string): Promise<AcmeResponse> => request(url, { method: "GET", accept: JSON_TYPE });

  const directory = async (): Promise<Directory> =>
    (cachedDirectory ??= readDirectory(jsonOf(await get(options.directory))));

  const freshNonce = async (): Promise<string> => {
    await request((await directory()).newNonce, { method: "HEAD", accept: "*/*" });
    const nonce = nonces.pop();
    if (nonce === undefined) throw malformed("no nonce");
    return nonce;
  };

  /** Retries `badNonce`, and nothing else. @param payload undefined for a POST-as-GET */
  const post = async (
    signer: Signer,
    url: string,
    payload?: unknown,
    accept = JSON_TYPE,
  ): Promise<AcmeResponse> => {
    for (let retry = 0; ; retry += 1) {
      const nonce = nonces.pop() ?? (await freshNonce());
      const body = await signedBody(signer, { url, nonce, payload });
      try {
        return await request(url, { method: "POST", accept, body });
      } catch (error) {
        const isBadNonce = error instanceof AcmeProblem && error.type === "badNonce";
        if (!isBadNonce || retry === MAX_NONCE_RETRIES) throw error;
        // RFC 8555 section 6.5: a badNonce response carries a fresh nonce, now the newest. Servers may share nonces with a delay.
        await sleep(Math.min(1000, 20 * 2 ** retry));
      }
    }
  };

  return { directory, get, post, retryAfterOf };
};

interface AcmeClientOptions extends RequestOptions {
  /** The contact of new accounts. */
  email?: string;
  eab?: ExternalAccount;
  /** The certificate profile of every order (draft-ietf-acme-profiles). */
  profile?: string;
}

export interface Account {
  url: string;
  key: AccountKey;
}

const PEM_TYPE = "application/pem-certificate-chain";

/** RFC 8555 sections 7.3 and 7.4: the URL of the new object. */
const locationOf = ({ headers }: AcmeResponse): string => readUrl(headers.get("location"), "Location");

/** Of the account's orders, how many are looked at: the last ones. */
const MAX_LISTED = 50;
/** An order that no certificate was requested for. */
const WAITING: ReadonlySet<string> = new Set(["pending", "ready"]);

const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64url");

const isSameSet = (a: readonly string[], b: readonly string[]): boolean =>
  new Set(a).symmetricDifference(new Set(b)).size === 0;

/** @throws AcmeProblem `unknown_profile` if the CA does not list the profile: it would refuse the order */
const assertOffered = (profile: string | undefined, { profiles }: Directory) => {
  if (profile === undefined || profiles.includes(profile)) return;
  const offer = profiles.length === 0 ? "It has no profiles." : `It offers ${profiles.join(", ")}.`;
  throw new AcmeProblem({
    type: "unknown_profile",
    detail: `The CA has no profile ${JSON.stringify(profile)}. ${offer}`,
  });
};

/**
 * A client of one CA (RFC 8555). It caches the directory and unused nonces, and nothing else: create one for each task.
 * Every error of the server or the network is an AcmeProblem. Only `badNonce` is retried.
 */
export const acmeClient = (options: AcmeClientOptions, dependencies: AcmeDependencies) => {
  const { email, eab, profile } = options;
  const { directory, get, post, retryAfterOf } = acmeRequests(options, dependencies);

  const postAs = ({ url: account, key }: Account, url: string, payload?: unknown, accept?: string) =>
    post({ key, account }, url, payload, accept);

  const orderOf = (response: AcmeResponse, url: string) =>
    readOrder(jsonOf(response), url, retryAfterOf(response));

  return {
    directory,
    /** Creates an account, and agrees to the terms of service. @returns its URL; the same one for a registered key */
    async register(key: AccountKey): Promise<string> {
      const { newAccount } = await directory();
      const response = await post({ key }, newAccount, {
        termsOfServiceAgreed: true,
        contact: email === undefined ? undefined : [`mailto:${email}`],
        externalAccountBinding: eab && (await externalAccountBinding(eab, key, newAccount)),
      });
      return locationOf(response);
    },

    /** @param options.replaces the ARI id of the certificate to renew, sent only to a server with ARI */
    async order(account: Account, names: readonly string[], { replaces }: { replaces?: string } = {}) {
      const found = await directory();
      assertOffered(profile, found);
      const response = await postAs(account, found.newOrder, {
        identifiers: names.map((value) => ({ type: "dns", value })),
        profile,
        // RFC 9773 section 5: only if the server's directory has ARI.
        replaces: found.renewalInfo && replaces,
      });
      const order = orderOf(response, locationOf(response));
      if (!isSameSet(order.names, names)) throw malformed("the order is for other names");
      return order;
    },

    /**
     * The account's order for exactly these names that still waits: one whose response was lost. Undefined if the CA lists no
     * orders (RFC 8555 section 7.1.2.1): such a CA, Let's Encrypt for example, responds to a second order with the first.
     */
    async findOrder(account: Account, names: readonly string[]): Promise<Order | undefined> {
      const { orders: list } = readFields(jsonOf(await postAs(account, account.url)), "the account");
      if (list === undefined) return undefined;
      const { orders } = readFields(jsonOf(await postAs(account, readUrl(list, "orders"))), "the orders");
      const last = Array.isArray(orders) ? orders.slice(-MAX_LISTED) : orders;
      for (const url of readList(last, "orders", readUrl).toReversed()) {
        const order = orderOf(await postAs(account, url), url);
        if (WAITING.has(order.status) && isSameSet(order.names, names)) return order;
      }
      return undefined;
    },

    readOrder: async (account: Account, url: string) => orderOf(await postAs(account, url), url),
    async authorization(account: Account, url: string) {
      const response = await postAs(account, url);
      return readAuthorization(jsonOf(response), url, retryAfterOf(response));
    },

    /** Notifies the CA that a challenge is ready to be validated. */
    respond: async (account: Account, challengeUrl: string) =>
      readChallenge(jsonOf(await postAs(account, challengeUrl, {}))),

    /** @param csr DER */
    finalize: async (account: Account, { url, finalize }: Order, csr: Uint8Array) =>
      orderOf(await postAs(account, finalize, { csr: base64url(csr) }), url),

    /** @returns a PEM chain of 1 to 10 certificates, leaf first */
    async certificate(account: Account, url: string): Promise<string> {
      const { body } = await postAs(account, url, undefined, PEM_TYPE);
      return `${splitChain(body).join("\n")}\n`;
    },

    async revoke(account: Account, certificateDer: Uint8Array): Promise<void> {
      const { revokeCert } = await directory();
      await postAs(account, revokeCert, { certificate: base64url(certificateDer) });
    },

    /** RFC 9773 section 4.1; undefined if the CA has no ARI. */
    async renewalInfo(ariId: string) {
      const { renewalInfo } = await directory();
      if (renewalInfo === undefined) return undefined;
      return readRenewalInfo(jsonOf(await get(`${renewalInfo.replace(/\/$/, "")}/${ariId}`)));
    },
  };
};

export type AcmeClient = ReturnType<typeof acmeClient>;
