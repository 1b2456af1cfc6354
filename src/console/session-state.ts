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

/** What the console's page learns of its session: who is signed in, as `key` or as `person`. */
export const stateOf = (
  { csrfToken }: Pick<Session, "csrfToken">,
  caller: Caller | SignedInPerson,
  formatRate: (rate: Rate) => string,
) => ({
  signedIn: true,
  csrfToken,
  ...("role" in caller ? personState(caller) : keyState(caller, formatRate)),
});
