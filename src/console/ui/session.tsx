import { useQuery, useQueryClient } from "@tanstack/preact-query";
import { type ComponentChildren, createContext } from "preact";
import { useContext, useEffect, useRef } from "preact/hooks";
import { ApiError, unreachable, apiErrorOf, setSession } from "./api/client.ts";
import type { components } from "../../client/types/platform.d.ts";

type Grant = components["schemas"]["Key"]["scopes"][number];

/** Who is signed in: an API key, without its secret. */
export interface SignedIn {
  id: number;
  name: string;
  scopes: Grant[];
  /** When the secret expires that was used to sign in. */
  expiresAt?: string;
  rateLimit?: string;
}

type State = { signedIn: false } | { signedIn: true; csrfToken: string; key: SignedIn };

const PATH = "/console/session";
const STATE = ["session"];

/** @throws ApiError */
const request = async (init?: RequestInit): Promise<Response> => {
  const response = await fetch(PATH, init).catch(() => {
    throw unreachable();
  });
  if (!response.ok) throw await apiErrorOf(response);
  return response;
};

const readState = async (): Promise<State> => (await (await request()).json()) as State;

interface Session {
  key: SignedIn;
  can(scope: Grant): boolean;
  signOut(): Promise<void>;
}

const Current = createContext<Session | undefined>(undefined);

/** The session of the signed-in key. Use it only below `SessionProvider`. */
export const useSession = (): Session => useContext(Current)!;

/** A token of an Authorization header (RFC 6750 section 2.1). */
const TOKEN = /^[\w\-.~+/]+=*$/;

/** Starts a session with an API key. @throws ApiError */
export const signIn = async (secret: string): Promise<void> => {
  if (!TOKEN.test(secret))
    throw new ApiError(0, "invalid_api_key", "This is not an API key. Check what you pasted.");
  await request({ method: "POST", headers: { authorization: `Bearer ${secret}` } });
};

/** Shows `children` while a key is signed in, otherwise `signedOut`. */
export const SessionProvider = ({
  children,
  signedOut,
  pending,
}: {
  children: ComponentChildren;
  signedOut: ComponentChildren;
  pending: (error: Error | null) => ComponentChildren;
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
  const keyId = state?.signedIn ? state.key.id : undefined;
  const lastKeyId = useRef(keyId);
  useEffect(() => {
    // Another key must not see the data of the key before it.
    if (lastKeyId.current !== undefined && keyId !== undefined && keyId !== lastKeyId.current)
      location.reload();
    lastKeyId.current = keyId;
    if (keyId !== undefined) return;
    queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== STATE[0] });
    queries.getMutationCache().clear();
  }, [keyId]);
  if (!state) return <>{pending(error)}</>;
  if (!state.signedIn) return <>{signedOut}</>;
  const { csrfToken, key } = state;
  // If the refresh fails, the session stays as it is until the next response that doubts it.
  setSession(csrfToken, () => void refresh().catch(() => {}));
  const session: Session = {
    key,
    can: (scope) => key.scopes.includes("*") || key.scopes.includes(scope),
    async signOut() {
      // The token may have changed.
      const now = await readState();
      if (now.signedIn) await request({ method: "DELETE", headers: { "x-csrf-token": now.csrfToken } });
      queries.setQueryData<State>(STATE, { signedIn: false });
    },
  };
  return <Current.Provider value={session}>{children}</Current.Provider>;
};

/** Reads from the server who is signed in now. */
export const useSessionRefresh = () => {
  const queries = useQueryClient();
  return () => queries.fetchQuery({ queryKey: STATE, queryFn: readState, staleTime: 0 });
};
