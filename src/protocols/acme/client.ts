import { splitChain } from "./certificate.ts";
import { AcmeProblem } from "./problem.ts";
import {
  malformed,
  readFields,
  readList,
  readUrl,
  type Directory,
  type Order,
  readAuthorization,
  readChallenge,
  readOrder,
  readRenewalInfo,
} from "./objects.ts";
import { type ExternalAccount, externalAccountBinding, type AccountKey } from "./keys.ts";
import {
  type AcmeDependencies,
  acmeRequests,
  jsonOf,
  type RequestOptions,
  type AcmeResponse,
} from "./requests.ts";

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

const isSameSet = (one: readonly string[], other: readonly string[]): boolean =>
  new Set(one).symmetricDifference(new Set(other)).size === 0;

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

  const authorizationOf = (response: AcmeResponse, url: string) =>
    readAuthorization(jsonOf(response), url, retryAfterOf(response));

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
    authorization: async (account: Account, url: string) => authorizationOf(await postAs(account, url), url),

    /** Notifies the CA that a challenge is ready to be validated. */
    async respond(account: Account, challengeUrl: string) {
      const response = await postAs(account, challengeUrl, {});
      return readChallenge(jsonOf(response), "the challenge", retryAfterOf(response));
    },

    /** @param csr DER */
    finalize: async (account: Account, { url, finalize }: Order, csr: Uint8Array) =>
      orderOf(await postAs(account, finalize, { csr: base64url(csr) }), url),

    /** @returns a PEM chain of 1 to 10 certificates, leaf first */
    async certificate(account: Account, url: string): Promise<string> {
      const { body } = await postAs(account, url, undefined, PEM_TYPE);
      return `${splitChain(body).join("\n")}\n`;
    },

    /** @param reason RFC 5280 section 5.3.1 */
    async revoke(account: Account, certificateDer: Uint8Array, reason?: number): Promise<void> {
      const { revokeCert } = await directory();
      await postAs(account, revokeCert, { certificate: base64url(certificateDer), reason });
    },

    deactivate: async (account: Account, url: string) =>
      authorizationOf(await postAs(account, url, { status: "deactivated" }), url),

    /** RFC 9773 section 4.1; undefined if the CA has no ARI. */
    async renewalInfo(ariId: string) {
      const { renewalInfo } = await directory();
      if (renewalInfo === undefined) return undefined;
      const response = await get(`${renewalInfo.replace(/\/$/, "")}/${ariId}`);
      return readRenewalInfo(jsonOf(response), retryAfterOf(response));
    },
  };
};

export type AcmeClient = ReturnType<typeof acmeClient>;
