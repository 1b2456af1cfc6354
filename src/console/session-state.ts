import type { Caller } from "../http/authorization.ts";
import type { Rate } from "../lib/rate-limiter.ts";
import { formatTime } from "../lib/time.ts";
import type { SignedInPerson } from "../people/person.ts";
import type { Session } from "./sessions.ts";

const keyState = ({ id, name, scopes, expiresAt, rate }: Caller, formatRate: (rate: Rate) => string) => ({
  key: {
    id,
    name,
    scopes: [...scopes],
    ...(expiresAt !== undefined && { expiresAt: formatTime(expiresAt) }),
    ...(rate && { rateLimit: formatRate(rate) }),
  },
});

const personState = ({ id, name, email, role, scopes }: SignedInPerson) => ({
  person: { id, name, email, role, scopes: [...scopes] },
});

const userState = (caller: Caller | SignedInPerson, formatRate: (rate: Rate) => string) => {
  if ("role" in caller) return personState(caller);
  return caller.kind === "operator"
    ? { operator: { scopes: [...caller.scopes] } }
    : keyState(caller, formatRate);
};

export interface StateOptions {
  /** Browsers store the user's answers per store, because another store may later have the same address. */
  storeId: string;
  formatRate(rate: Rate): string;
}

/** The state of a session for the console's page. Its user is `key`, `person` or `operator`. */
export const stateOf = (
  { csrfToken }: Pick<Session, "csrfToken">,
  caller: Caller | SignedInPerson,
  { storeId, formatRate }: StateOptions,
) => ({
  signedIn: true,
  csrfToken,
  storeId,
  ...userState(caller, formatRate),
});
