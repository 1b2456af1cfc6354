import { type DatabaseUrl, describeHost } from "../../../lib/database-url.ts";
import { reasonOf } from "../../../lib/reason.ts";
import { AttemptFailed, BAD_CERTIFICATE, type Refusal, refused } from "./attempt.ts";
import type { PemFiles } from "../log.ts";

/** Bun's codes of errors from before a request was sent. */
const NOT_SENT =
  /^(ConnectionRefused|FailedToOpenSocket|DNSResolveFailed|ENOTFOUND|EAI_\w+|ECONNREFUSED|EHOSTUNREACH|ENETUNREACH)$/;

/** @param error of `fetch` */
export const failureOf = (error: unknown): AttemptFailed => {
  if (error instanceof AttemptFailed) return error;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (BAD_CERTIFICATE.test(code)) return new AttemptFailed(`the certificate is refused: ${code}`, false);
  if (NOT_SENT.test(code)) return new AttemptFailed("cannot be reached", false);
  return new AttemptFailed(reasonOf(error), true);
};

/** Refusals that mean that nothing was carried out: https://github.com/etcd-io/etcd/blob/main/api/v3rpc/rpctypes/error.go */
const REFUSALS: readonly Refusal[] = [
  { match: /invalid auth token|revision in header is old/, remedy: "authenticate" },
  {
    match: /database space exceeded/,
    remedy: "give up",
    advice: "defragment the members and disarm the alarm, or raise --quota-backend-bytes",
  },
  { match: /too many requests/, remedy: "retry" },
  {
    match: /permission denied/,
    remedy: "give up",
    advice: "grant the user's role readwrite on the prefix",
  },
  { match: /user name is empty/, remedy: "give up", advice: "put USER:PASSWORD@ into DATABASE_URL" },
  {
    match: /authentication is not enabled/,
    remedy: "give up",
    advice: "enable it, or remove the user and the password from DATABASE_URL",
  },
  // Another node may have compacted further.
  { match: /authentication failed|request is too large|revision has been compacted/, remedy: "give up" },
];

/** @param text a member's response instead of a result */
const messageIn = (text: string): string | undefined => {
  try {
    const { message, error } = JSON.parse(text) as { message?: unknown; error?: unknown };
    const found = message ?? error;
    return typeof found === "string" ? found.slice(0, 200) : undefined;
  } catch {
    return undefined;
  }
};

const HEALTH_MS = 1000;
/** The server hashes the password slowly. */
const AUTHENTICATION_MS = 2000;

/** Requests to members of etcd by its JSON gateway: https://etcd.io/docs/v3.4/dev-guide/api_grpc_gateway/ */
export const openSession = ({ hosts, credentials }: DatabaseUrl, tls: PemFiles | undefined) => {
  const session = new Bun.FetchSession({ ...(tls && { tls }), proxy: false });
  let token: Promise<string> | undefined;

  const send = async (url: string, path: string, body: string, headers: object, signal: AbortSignal) => {
    try {
      const options = { method: "POST", body, headers: { ...headers }, redirect: "error", signal } as const;
      const response = await session.fetch(`${url}/v3/${path}`, options);
      if (response.ok) return response;
      const reason = messageIn(await response.text()) ?? `HTTP status ${response.status}`;
      throw refused(REFUSALS, reason, reason);
    } catch (error) {
      throw failureOf(error);
    }
  };

  const authenticate = async (url: string): Promise<string> => {
    const body = JSON.stringify({ name: credentials?.user, password: credentials?.password });
    const signal = AbortSignal.timeout(AUTHENTICATION_MS);
    const response = await send(url, "auth/authenticate", body, {}, signal);
    return ((await response.json()) as { token: string }).token;
  };

  const tokenFrom = (url: string): Promise<string> => {
    if (token) return token;
    const next = authenticate(url);
    token = next;
    next.catch(() => {
      if (token === next) token = undefined;
    });
    return next;
  };

  return {
    /** The members, as origins. */
    urls: hosts.map((host) => `${tls ? "https" : "http"}://${describeHost(host)}`),
    /** @returns the response, whose status is 200 @throws AttemptFailed */
    async post(url: string, path: string, body: string, signal: AbortSignal): Promise<Response> {
      // A watch at a member that has lost its leader ends.
      const headers = { "grpc-metadata-hasleader": "true" };
      const authorization = credentials && { authorization: await tokenFrom(url) };
      return send(url, path, body, { ...headers, ...authorization }, signal);
    },
    /** Whether a member can serve: it then has a leader. */
    async isHealthy(url: string): Promise<boolean> {
      try {
        const response = await session.fetch(`${url}/health`, { signal: AbortSignal.timeout(HEALTH_MS) });
        return /"health"\s*:\s*"?true/.test(await response.text());
      } catch {
        return false;
      }
    },
    /** The next request authenticates again. @param used the token that was refused */
    forgetToken(used: unknown): void {
      if (token === used) token = undefined;
    },
    /** Changes with each authentication. */
    token: (): unknown => token,
    close: (): void => session.close(),
  };
};

export type EtcdSession = ReturnType<typeof openSession>;
