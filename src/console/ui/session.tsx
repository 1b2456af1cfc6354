import { useQuery, useQueryClient } from "@tanstack/preact-query";
import { type ComponentChildren, createContext } from "preact";
import { useContext, useEffect, useRef } from "preact/hooks";
import { Refusal, UNREACHABLE, refusalOf, setSession } from "./api/client.ts";
import type { components } from "./api/platform.d.ts";

type Grant = components["schemas"]["Key"]["scopes"][number];

/** Who is signed in: an API key, without its secret. */
export interface SignedIn {
  id: number;
  name: string;
  scopes: Grant[];
  /** When the secret that was signed in with ends. */
  expiresAt?: string;
  rateLimit?: string;
}

type State = { signedIn: false } | { signedIn: true; csrfToken: string; key: SignedIn };

const PATH = "/console/session";
const STATE = ["session"];

/** @throws Refusal */
const ask = async (init?: RequestInit): Promise<Response> => {
  const answer = await fetch(PATH, init).catch(() => {
    throw UNREACHABLE;
  });
  if (!answer.ok) throw await refusalOf(answer);
  return answer;
};

const readState = async (): Promise<State> => (await (await ask()).json()) as State;

interface Session {
  key: SignedIn;
  can(scope: Grant): boolean;
  signOut(): Promise<void>;
}

const Current = createContext<Session | undefined>(undefined);

/** Of whoever is signed in; only below `SessionProvider`. */
export const useSession = (): Session => useContext(Current)!;

/** What an Authorization header can carry (RFC 6750 section 2.1). */
const TOKEN = /^[\w\-.~+/]+=*$/;

/** Makes a session of an API key. @throws Refusal */
export const signIn = async (secret: string): Promise<void> => {
  if (!TOKEN.test(secret))
    throw new Refusal(0, "invalid_api_key", "This is no API key: check what you pasted.");
  await ask({ method: "POST", headers: { authorization: `Bearer ${secret}` } });
};

/** Shows `children` to whoever is signed in, else `signedOut`. */
export const SessionProvider = ({
  children,
  signedOut,
  waiting,
}: {
  children: ComponentChildren;
  signedOut: ComponentChildren;
  waiting: (error: Error | null) => ComponentChildren;
}) => {
  const queries = useQueryClient();
  const refresh = useSessionRefresh();
  const { data: state, error } = useQuery({
    queryKey: STATE,
    queryFn: readState,
    staleTime: Infinity,
    // Somebody may have signed out, or in with another key, in another tab.
    refetchOnWindowFocus: "always",
  });
  const who = state?.signedIn ? state.key.id : undefined;
  const before = useRef(who);
  useEffect(() => {
    // What one key was shown is not another's to see.
    if (before.current !== undefined && who !== undefined && who !== before.current) location.reload();
    before.current = who;
    if (who !== undefined) return;
    queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== STATE[0] });
    queries.getMutationCache().clear();
  }, [who]);
  if (!state) return <>{waiting(error)}</>;
  if (!state.signedIn) return <>{signedOut}</>;
  const { csrfToken, key } = state;
  // A look that fails leaves the session as it is, until the next response that doubts it.
  setSession(csrfToken, () => void refresh().catch(() => {}));
  const session: Session = {
    key,
    can: (scope) => key.scopes.includes("*") || key.scopes.includes(scope),
    async signOut() {
      // Its token may be another by now.
      const now = await readState();
      if (now.signedIn) await ask({ method: "DELETE", headers: { "x-csrf-token": now.csrfToken } });
      queries.setQueryData<State>(STATE, { signedIn: false });
    },
  };
  return <Current.Provider value={session}>{children}</Current.Provider>;
};

/** Looks again who is signed in. */
export const useSessionRefresh = () => {
  const queries = useQueryClient();
  return () => queries.fetchQuery({ queryKey: STATE, queryFn: readState, staleTime: 0 });
};
