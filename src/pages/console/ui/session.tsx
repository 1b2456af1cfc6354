import { type QueryKey, useQuery, useQueryClient } from "@tanstack/preact-query";
import { type ComponentChildren, createContext } from "preact";
import { useContext, useEffect, useRef } from "preact/hooks";
import { ApiError, callConsole, hasCode, setSession } from "./api/client.ts";
import { disarm, isGuarded } from "./parts/navigation.ts";
import type { components } from "../../../client/types/platform.d.ts";

type Key = components["schemas"]["Key"];
export type Grant = Key["scopes"][number];
type Person = components["schemas"]["Person"];

/** The signed-in user: a person, an API key without its secret, or the operator by a link. A key expires with its secret. */
export type User = {
  kind: "person" | "key" | "operator";
  id: number;
  name: string;
  scopes: Grant[];
} & Partial<Pick<Person, "email" | "role"> & Pick<Key, "expiresAt" | "rateLimit">>;

export const describeUser = ({ kind, name }: Pick<User, "kind" | "name">): string => {
  if (kind === "operator") return "Add yourself as an administrator under People.";
  return kind === "key" ? `${name}: the API key that you are signed in with` : name;
};

interface SignedOutState {
  signedIn: false;
  oidc?: { label: string };
}

interface SignedInState {
  signedIn: true;
  csrfToken: string;
  storeId: string;
  user: User;
}

type State = SignedOutState | SignedInState;

type Holder = Omit<User, "kind">;
type Received =
  | SignedOutState
  | (Omit<SignedInState, "user"> & { key?: Holder; person?: Holder; operator?: Pick<User, "scopes"> });

const STATE = ["session"];

/** True for data that was read for the user, which another user must not see. */
const isData = ({ queryKey }: { queryKey: QueryKey }): boolean => queryKey[0] !== STATE[0];

const userOf = ({ key, person, operator }: Extract<Received, { signedIn: true }>): User => {
  if (operator) return { kind: "operator", id: 0, name: "Operator", ...operator };
  return person ? { kind: "person", ...person } : { kind: "key", ...key! };
};

const readState = async (): Promise<State> => {
  const state = (await (await callConsole("GET", "session")).json()) as Received;
  if (!state.signedIn) return state;
  const { csrfToken, storeId } = state;
  return { signedIn: true, csrfToken, storeId, user: userOf(state) };
};

interface Session {
  storeId: string;
  user: User;
  can(scope: Grant): boolean;
  signOut(): Promise<void>;
}

const Current = createContext<Session | undefined>(undefined);

/** The session of the signed-in user. Use it only below `SessionProvider`. */
export const useSession = (): Session => useContext(Current)!;

/** A token of an Authorization header (RFC 6750 section 2.1). */
const TOKEN = /^[\w\-.~+/]+=*$/;

/** Starts a session with an API key. @throws ApiError */
export const signIn = async (secret: string): Promise<void> => {
  const wrong = new ApiError(
    401,
    "invalid_api_key",
    secret === ""
      ? "Paste the key you were given."
      : "This key doesn't work. Check that you copied all of it.",
  );
  if (!TOKEN.test(secret)) throw wrong;
  try {
    await callConsole("POST", "session", { headers: { authorization: `Bearer ${secret}` } });
  } catch (error) {
    throw hasCode(error as Error, wrong.code) ? wrong : error;
  }
};

/**
 * Shows `children` while a user is signed in, otherwise `signedOut`. If the session ends while something is unsaved,
 * `children` stay, with `ended` above them, until the same user signs in again: no other user sees them.
 */
export const SessionProvider = ({
  children,
  signedOut,
  ended,
  pending,
}: {
  children: ComponentChildren;
  /**
   * @param hasEnded a user was signed in here before, and did not sign out
   * @param oidc the label of the provider that people can sign in with
   */
  signedOut: (hasEnded: boolean, oidc: string | undefined) => ComponentChildren;
  ended: (oidc: string | undefined) => ComponentChildren;
  pending: (error: Error | null) => ComponentChildren;
}) => {
  const queries = useQueryClient();
  const refresh = useSessionRefresh();
  const { data: state, error } = useQuery({
    queryKey: STATE,
    queryFn: readState,
    staleTime: Infinity,
    // The user may have signed out, or another one in, in another tab.
    refetchOnWindowFocus: "always",
  });
  const shown = useRef<SignedInState>();
  const hasEnded = useRef(false);
  const before = shown.current;
  const now = state?.signedIn ? state : undefined;
  const isOther =
    before !== undefined &&
    now !== undefined &&
    (before.user.kind !== now.user.kind || before.user.id !== now.user.id);
  const isKept = before !== undefined && now === undefined && isGuarded("console");
  if (state && !isKept && !isOther) {
    hasEnded.current = now === undefined && (before !== undefined || hasEnded.current);
    shown.current = now;
  }
  const isSignedIn = now !== undefined;
  const wasKept = useRef(false);
  useEffect(() => {
    if (isOther) {
      disarm();
      location.reload();
    } else if (isSignedIn && wasKept.current) void queries.invalidateQueries({ predicate: isData });
    else if (!isSignedIn && !isKept) {
      queries.removeQueries({ predicate: isData });
      queries.getMutationCache().clear();
    }
    wasKept.current = isKept;
  }, [isSignedIn, isOther, isKept]);
  if (!state) return <>{pending(error)}</>;
  if (isOther) return null;
  const oidc = state.signedIn ? undefined : state.oidc?.label;
  const current = shown.current;
  if (!current) return <>{signedOut(hasEnded.current, oidc)}</>;
  const { csrfToken, storeId, user } = current;
  // If the refresh fails, the session stays as it is until the next response that doubts it.
  setSession(csrfToken, () => void refresh().catch(() => {}));
  const session: Session = {
    storeId,
    user,
    can: (scope) => user.scopes.includes("*") || user.scopes.includes(scope),
    async signOut() {
      // The token may have changed.
      const latest = await readState();
      if (latest.signedIn)
        await callConsole("DELETE", "session", { headers: { "x-csrf-token": latest.csrfToken } });
      shown.current = undefined;
      const after = await readState().catch((): State => ({ signedIn: false }));
      queries.setQueryData<State>(STATE, after);
    },
  };
  return (
    <Current.Provider value={session}>
      {children}
      {isKept && ended(oidc)}
    </Current.Provider>
  );
};

/** The label of the provider that people can sign in with; undefined without one. For pages without a session. */
export const useOidc = (): string | undefined => {
  const { data } = useQuery({ queryKey: STATE, queryFn: readState, staleTime: Infinity });
  return data?.signedIn === false ? data.oidc?.label : undefined;
};

export const useSessionRefresh = () => {
  const queries = useQueryClient();
  return () => queries.fetchQuery({ queryKey: STATE, queryFn: readState, staleTime: 0 });
};
