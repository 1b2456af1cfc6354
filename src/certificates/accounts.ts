import type { Account, AcmeClient } from "../protocols/acme/client.ts";
import { newAccountKey } from "../protocols/acme/keys.ts";
import type { Certificates } from "./repository.ts";

/**
 * The service's account with a CA, registered when it is first needed. Calls that come meanwhile share one registration, so
 * that there is one account at each CA.
 */
export const accounts = (
  certificates: Pick<Certificates, "account" | "saveAccount">,
  clientOf: (authority: string) => AcmeClient,
) => {
  const open = async (authority: string): Promise<Account> => {
    const stored = await certificates.account(authority);
    const key = stored?.key ?? (await newAccountKey());
    // Before the CA knows the key: an account whose key is lost is lost.
    if (!stored) await certificates.saveAccount(authority, { key, url: undefined });
    if (stored?.url !== undefined) return { key, url: stored.url };
    const url = await clientOf(authority).register(key);
    await certificates.saveAccount(authority, { key, url });
    return { key, url };
  };

  const opening = new Map<string, Promise<Account>>();
  return (authority: string): Promise<Account> => {
    const account = opening.get(authority) ?? open(authority).finally(() => opening.delete(authority));
    opening.set(authority, account);
    return account;
  };
};
