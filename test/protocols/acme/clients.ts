import { expect } from "bun:test";
import { systemClock } from "../../../src/lib/time.ts";
import { type Account, type AcmeClient, acmeClient } from "../../../src/protocols/acme/client.ts";
import { certificateRequest, newAccountKey, newCertificateKey } from "../../../src/protocols/acme/keys.ts";
import { AcmeProblem } from "../../../src/protocols/acme/problem.ts";
import type { AcmeCa } from "../../support/acme-ca.ts";

type Options = Omit<Parameters<typeof acmeClient>[0], "directory">;
type Dependencies = Partial<Parameters<typeof acmeClient>[1]>;

/** A client whose sleeps end immediately; `slept` has their milliseconds. */
export const clientOf = (directory: string, options: Options = {}, dependencies: Dependencies = {}) => {
  const slept: number[] = [];
  const sleep = async (milliseconds: number) => void slept.push(milliseconds);
  const client = acmeClient({ directory, ...options }, { fetch, sleep, clock: systemClock, ...dependencies });
  return Object.assign(client, { slept });
};

export const registered = async (client: AcmeClient): Promise<Account> => {
  const key = await newAccountKey();
  return { key, url: await client.register(key) };
};

/** A client of the CA, with an account. */
export const openAccount = async (ca: AcmeCa, options: Options = {}) => {
  const client = clientOf(ca.directory, options);
  return { client, account: await registered(client) };
};

export const problemFrom = (work: Promise<unknown>): Promise<AcmeProblem> =>
  work.then(
    (value) => {
      throw new Error(`no problem, but ${JSON.stringify(value)}`);
    },
    (error: unknown) => {
      expect(error).toBeInstanceOf(AcmeProblem);
      return error as AcmeProblem;
    },
  );

/** Responds to the first challenge of every authorization, and waits until they are decided. */
export const authorize = async (
  ca: AcmeCa,
  client: AcmeClient,
  account: Account,
  authorizations: string[],
) => {
  for (const url of authorizations) {
    const { challenges } = await client.authorization(account, url);
    await client.respond(account, challenges[0]?.url ?? "");
  }
  await ca.validated();
};

/** From an order to its certificate. */
export const obtain = async (
  ca: AcmeCa,
  client: AcmeClient,
  account: Account,
  names: readonly string[],
  options: { replaces?: string } = {},
) => {
  const key = await newCertificateKey();
  const order = await client.order(account, names, options);
  await authorize(ca, client, account, order.authorizations);
  const ready = await client.readOrder(account, order.url);
  const done = await client.finalize(account, ready, await certificateRequest(key, names));
  const chain = await client.certificate(account, done.certificate ?? "");
  return { key, chain, order: done };
};
