import type { Caller } from "../../http/authorization.ts";
import { OPERATOR } from "../../lib/actor.ts";
import { type RandomBytes, isToken, randomToken } from "../../lib/random.ts";
import type { Clock } from "../../lib/time.ts";
import type { BrowserStates } from "./repository.ts";
import { hashOf } from "./seal.ts";

export const LINK_MINUTES = 15;

const OPERATOR_CALLER: Caller = {
  kind: "operator",
  id: 0,
  name: "Operator",
  scopes: OPERATOR.scopes,
  rate: undefined,
  expiresAt: undefined,
};

/**
 * Links that sign the operator in to the console of a store without an administrator. Each works once. Only the hash of its
 * token is stored.
 */
export const createSignInLinks = (
  states: BrowserStates,
  people: Record<"hasAdministrator" | "hasJoinedAdministrator", () => Promise<boolean>>,
  { clock, randomBytes }: { clock: Clock; randomBytes: RandomBytes },
) => ({
  /** Creates a link, which replaces the previous one. Undefined if the store has an administrator. */
  async create(): Promise<{ token: string; expiresAt: number } | undefined> {
    if (await people.hasAdministrator()) return undefined;
    const token = randomToken(randomBytes);
    const now = clock.now();
    const expiresAt = now + LINK_MINUTES * 60_000;
    await states.replaceLink(hashOf(token), { now, until: expiresAt });
    return { token, expiresAt };
  },
  /** Redeems a link. False if it was used or replaced, has expired, or the store has an administrator. */
  async use(token: string): Promise<boolean> {
    if (!isToken(token) || (await people.hasAdministrator())) return false;
    await states.fresh();
    const hash = hashOf(token);
    // A wrong token writes nothing.
    if (!states.find("sign_in_link", hash)) return false;
    const link = await states.take("sign_in_link", hash);
    return link !== undefined && link.until > clock.now();
  },
  /** The caller of a session that began with a link; undefined once an administrator can sign in. */
  caller: async (): Promise<Caller | undefined> =>
    (await people.hasJoinedAdministrator()) ? undefined : OPERATOR_CALLER,
});

export type SignInLinks = ReturnType<typeof createSignInLinks>;
