import { type SoftAuthenticator, softAuthenticator, type Wishes } from "../../support/authenticator.ts";
import type { Store } from "../../support/store.ts";

export const ORIGIN = "http://localhost";

export const ADA = { name: "Ada Byron", email: "ada@example.org", role: "volunteer" };

/** Adds a person with the store's key. @returns the id, and the token in the fragment of the link */
export const invite = async (
  store: Store,
  person: Partial<typeof ADA> = {},
): Promise<{ id: number; token: string }> => {
  const response = await store.call("POST", "/platform/people", { json: { ...ADA, ...person } });
  if (response.status !== 201) throw new Error(await response.text());
  const { id, invitation } = (await response.json()) as { id: number; invitation: { link: string } };
  return { id, token: new URL(invitation.link).hash.slice(1) };
};

interface State {
  signedIn: boolean;
  csrfToken: string;
  person?: { id: number; name: string; role: string; scopes: string[] };
}

/** A browser at the console, with its cookies. @param own headers of each request */
export const visitor = (store: Store, own: Record<string, string> = {}) => {
  const cookies = new Map<string, string>();
  let csrfToken = "";

  const send = async (
    method: string,
    path: string,
    { json, headers = {} }: { json?: unknown; headers?: Record<string, string> } = {},
  ): Promise<Response> => {
    const response = await store.visit(`${ORIGIN}${path}`, {
      method,
      redirect: "manual",
      headers: {
        ...(cookies.size > 0 && { cookie: [...cookies].map((pair) => pair.join("=")).join("; ") }),
        ...(csrfToken !== "" && { "x-csrf-token": csrfToken }),
        ...(json !== undefined && { "content-type": "application/json" }),
        origin: ORIGIN,
        "sec-fetch-site": "same-origin",
        ...own,
        ...headers,
      },
      ...(json !== undefined && { body: JSON.stringify(json) }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (value === "") cookies.delete(name);
      else cookies.set(name, value);
    }
    return response;
  };

  /** Remembers the CSRF token of a session that was opened. */
  const opened = async (response: Response): Promise<Response> => {
    if (response.status === 201) ({ csrfToken } = (await response.clone().json()) as State);
    return response;
  };

  const begin = async <Options>(path: string, json?: unknown) => {
    const response = await send("POST", path, json === undefined ? {} : { json });
    if (response.status !== 200) throw new Error(await response.text());
    return (await response.json()) as Options;
  };

  return {
    cookies,
    send,
    begin,
    /** Accepts an invitation with a new passkey. */
    async accept(
      token: string,
      authenticator: SoftAuthenticator = softAuthenticator(ORIGIN),
      wishes: Wishes = {},
    ) {
      const options = await begin<Parameters<SoftAuthenticator["create"]>[0]>(
        "/console/auth/invitation/options",
        { token },
      );
      const response = authenticator.create(options, wishes);
      return opened(await send("POST", "/console/auth/invitation/accept", { json: { token, response } }));
    },
    /** Signs in with a passkey. */
    async signIn(authenticator: SoftAuthenticator, wishes: Wishes = {}) {
      const options = await begin<Parameters<SoftAuthenticator["get"]>[0]>("/console/auth/passkey/options");
      const response = authenticator.get(options, wishes);
      return opened(await send("POST", "/console/auth/passkey", { json: { response } }));
    },
    /** Signs in with the store's key. */
    signInWithKey: async () =>
      opened(await send("POST", "/console/session", { headers: { authorization: `Bearer ${store.key}` } })),
    /** Registers another passkey. */
    async addPasskey(authenticator: SoftAuthenticator = softAuthenticator(ORIGIN), name?: string) {
      const options = await begin<Parameters<SoftAuthenticator["create"]>[0]>(
        "/console/auth/passkeys/options",
      );
      const json = { response: authenticator.create(options), ...(name !== undefined && { name }) };
      return send("POST", "/console/auth/passkeys", { json });
    },
    state: async (): Promise<State> => (await (await send("GET", "/console/session")).json()) as State,
  };
};

/** A person of this role who is signed in. */
export const signedIn = async (store: Store, person: Partial<typeof ADA> = {}) => {
  const { id, token } = await invite(store, person);
  const authenticator = softAuthenticator(ORIGIN);
  const browser = visitor(store);
  const response = await browser.accept(token, authenticator);
  if (response.status !== 201) throw new Error(await response.text());
  return { id, authenticator, ...browser };
};
