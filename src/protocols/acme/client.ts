import type { Clock } from "../../lib/time.ts";
import {
  type Authorization,
  type Challenge,
  type Directory,
  malformed,
  type Order,
  readAuthorization,
  readChallenge,
  readDirectory,
  readOrder,
  readRenewalInfo,
  readUrl,
  type RenewalInfo,
} from "./objects.ts";
import { splitChain } from "./certificate.ts";
import { type ExternalAccount, externalAccountBinding, type Signer, signedBody } from "./jws.ts";
import type { AccountKey } from "./keys.ts";
import { AcmeProblem, readProblem, readRetryAfter } from "./problem.ts";
import { type AcmeResponse, type AcmeRequest, type Fetch, transport } from "./transport.ts";

export interface AcmeClientOptions {
  /** The directory's URL. */
  directory: string;
  email?: string;
  eab?: ExternalAccount;
  /** PEM: certificate authorities that the server's own certificate may come from, beside those of the system. */
  ca?: string;
}

export interface AcmeDependencies {
  fetch: Fetch;
  sleep(milliseconds: number): Promise<unknown>;
  clock: Clock;
  /** For each request; 30 seconds unless it is given. */
  timeoutMs?: number;
}

export interface Account {
  url: string;
  key: AccountKey;
}

/** RFC 8555. Whatever the server or the network does wrong is thrown as an AcmeProblem; only `badNonce` is retried. */
export interface AcmeClient {
  directory(): Promise<Directory>;
  /** Agrees to the terms of service. @returns the account's URL: the same for a key that is registered already */
  register(key: AccountKey): Promise<string>;
  /** @param options.replaces the ARI id of the certificate that is renewed; left out if the server has no ARI */
  order(account: Account, names: readonly string[], options?: { replaces?: string }): Promise<Order>;
  readOrder(account: Account, url: string): Promise<Order>;
  authorization(account: Account, url: string): Promise<Authorization>;
  /** Says that a challenge is ready to be validated. */
  respond(account: Account, challengeUrl: string): Promise<Challenge>;
  /** @param csr DER */
  finalize(account: Account, order: Order, csr: Uint8Array): Promise<Order>;
  /** @returns a PEM chain of 1 to 10 certificates, the order's own first */
  certificate(account: Account, url: string): Promise<string>;
  /** @param reason RFC 5280 section 5.3.1 */
  revoke(account: Account, certificateDer: Uint8Array, reason?: number): Promise<void>;
  deactivate(account: Account, authorizationUrl: string): Promise<Authorization>;
  /** RFC 9773; undefined if the server has none. */
  renewalInfo(ariId: string): Promise<RenewalInfo | undefined>;
}

const JSON_TYPE = "application/json";
const PEM_TYPE = "application/pem-certificate-chain";
const MAX_NONCE_RETRIES = 10;
const MAX_NONCES = 32;
/** RFC 8555 section 6.5.1. */
const NONCE = /^[A-Za-z0-9_-]{1,512}$/;

/** Between attempts with fresh nonces: 20 ms, doubled up to a second, for servers that share their nonces with a delay. */
const nonceWait = (retry: number): number => Math.min(1000, 10 * 2 ** retry);

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const json = ({ body }: AcmeResponse): unknown => {
  const value = parse(body);
  if (value === undefined) throw malformed("not JSON");
  return value;
};

/** RFC 8555 section 7.3 and 7.4: where the new object is. */
const locationOf = ({ headers }: AcmeResponse): string => readUrl(headers.get("location"), "Location");

const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64url");

const isSameSet = (one: readonly string[], other: readonly string[]): boolean =>
  new Set(one).symmetricDifference(new Set(other)).size === 0;

/** RFC 8555 section 6.5: nonces are used once, the newest first. */
const noncePool = () => {
  const nonces: string[] = [];
  return {
    /** Keeps the one that came with an answer. */
    keep(headers: Headers) {
      const nonce = headers.get("replay-nonce") ?? "";
      if (!NONCE.test(nonce)) return;
      nonces.push(nonce);
      if (nonces.length > MAX_NONCES) nonces.shift();
    },
    take: (): string | undefined => nonces.pop(),
  };
};

/**
 * A client of one certificate authority. It remembers the directory and unused nonces, and nothing else: make one for
 * each piece of work.
 */
export const acmeClient = (settings: AcmeClientOptions, surroundings: AcmeDependencies): AcmeClient => {
  const { email, eab } = settings;
  const { sleep, clock } = surroundings;
  const send = transport(settings, surroundings);
  const nonces = noncePool();
  let known: Directory | undefined;

  const retryAfterOf = ({ headers }: AcmeResponse) => readRetryAfter(headers.get("retry-after"), clock.now());

  const ask = async (url: string, asked: AcmeRequest): Promise<AcmeResponse> => {
    const answer = await send(url, asked);
    nonces.keep(answer.headers);
    const { status } = answer;
    if (status >= 200 && status < 300) return answer;
    if (status < 400) throw malformed(`answered ${status}, which is not followed`);
    throw new AcmeProblem(readProblem(parse(answer.body), { status, retryAfterMs: retryAfterOf(answer) }));
  };

  const get = (url: string) => ask(url, { method: "GET", accept: JSON_TYPE });

  const directory = async (): Promise<Directory> => {
    known ??= readDirectory(json(await get(settings.directory)));
    return known;
  };

  const freshNonce = async (): Promise<string> => {
    await ask((await directory()).newNonce, { method: "HEAD", accept: "*/*" });
    const nonce = nonces.take();
    if (nonce === undefined) throw malformed("no nonce");
    return nonce;
  };

  const post = async (
    signer: Signer,
    url: string,
    payload?: unknown,
    accept = JSON_TYPE,
  ): Promise<AcmeResponse> => {
    for (let retry = 0; ; retry += 1) {
      const nonce = nonces.take() ?? (await freshNonce());
      const body = await signedBody(signer, { url, nonce, payload });
      try {
        return await ask(url, { method: "POST", accept, body });
      } catch (error) {
        const isStale = error instanceof AcmeProblem && error.type === "badNonce";
        if (!isStale || retry === MAX_NONCE_RETRIES) throw error;
        // RFC 8555 section 6.5: the answer brought a fresh nonce, which is the newest.
        await sleep(nonceWait(retry + 1));
      }
    }
  };

  const postFor = ({ url: account, key }: Account, url: string, payload?: unknown, accept?: string) =>
    post({ key, account }, url, payload, accept);

  const orderOf = (answer: AcmeResponse, url: string): Order =>
    readOrder(json(answer), url, retryAfterOf(answer));

  const authorizationOf = (answer: AcmeResponse, url: string): Authorization =>
    readAuthorization(json(answer), url, retryAfterOf(answer));

  return {
    directory,

    async register(key) {
      const { newAccount } = await directory();
      const answer = await post({ key }, newAccount, {
        termsOfServiceAgreed: true,
        ...(email !== undefined && { contact: [`mailto:${email}`] }),
        ...(eab && { externalAccountBinding: await externalAccountBinding(eab, key, newAccount) }),
      });
      return locationOf(answer);
    },

    async order(account, names, { replaces } = {}) {
      const { newOrder, renewalInfo } = await directory();
      const answer = await postFor(account, newOrder, {
        identifiers: names.map((value) => ({ type: "dns", value })),
        // RFC 9773 section 5: only where the server has said that it knows it.
        ...(renewalInfo !== undefined && replaces !== undefined && { replaces }),
      });
      const order = orderOf(answer, locationOf(answer));
      if (!isSameSet(order.names, names)) throw malformed("the order is for other names");
      return order;
    },

    readOrder: async (account, url) => orderOf(await postFor(account, url), url),

    authorization: async (account, url) => authorizationOf(await postFor(account, url), url),

    async respond(account, challengeUrl) {
      const answer = await postFor(account, challengeUrl, {});
      return readChallenge(json(answer), "the challenge", retryAfterOf(answer));
    },

    async finalize(account, { url, finalize }, csr) {
      return orderOf(await postFor(account, finalize, { csr: base64url(csr) }), url);
    },

    async certificate(account, url) {
      const { body } = await postFor(account, url, undefined, PEM_TYPE);
      return `${splitChain(body).join("\n")}\n`;
    },

    async revoke(account, certificateDer, reason) {
      const { revokeCert } = await directory();
      const certificate = base64url(certificateDer);
      await postFor(account, revokeCert, { certificate, ...(reason !== undefined && { reason }) });
    },

    deactivate: async (account, authorizationUrl) =>
      authorizationOf(await postFor(account, authorizationUrl, { status: "deactivated" }), authorizationUrl),

    async renewalInfo(ariId) {
      const { renewalInfo } = await directory();
      if (renewalInfo === undefined) return undefined;
      const answer = await get(`${renewalInfo.replace(/\/$/, "")}/${ariId}`);
      return readRenewalInfo(json(answer), retryAfterOf(answer));
    },
  };
};
