import type { Account, AcmeClient } from "../protocols/acme/client.ts";
import { newAccountKey } from "../protocols/acme/keys.ts";
import type { Certificates } from "./repository.ts";

/**
 * The service's account with a CA, registered when it is first needed. Calls that come meanwhile share one registration, so
 * that there is one account at each CA.
 */
export const accountOpener = (
  certificates: Pick<Certificates, "account" | "saveAccount">,
  clientOf: (ca: string) => AcmeClient,
) => {
  const open = async (ca: string): Promise<Account> => {
    const stored = await certificates.account(ca);
    const key = stored?.key ?? (await newAccountKey());
    // Before the CA knows the key: an account whose key is lost is lost.
    if (!stored) await certificates.saveAccount(ca, { key, url: undefined });
    if (stored?.url !== undefined) return { key, url: stored.url };
    const url = await clientOf(ca).register(key);
    await certificates.saveAccount(ca, { key, url });
    return { key, url };
  };

  const opening = new Map<string, Promise<Account>>();
  return (ca: string): Promise<Account> => {
    const account = opening.get(ca) ?? open(ca).finally(() => opening.delete(ca));
    opening.set(ca, account);
    return account;
  };
};
