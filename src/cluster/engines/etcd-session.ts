import { type DatabaseUrl, describeHost } from "../../lib/database-url.ts";
import { failureOf, failureOfResponse } from "./etcd-errors.ts";
import type { PemFiles } from "./pem-files.ts";

/** Requests to members of etcd by its JSON gateway: https://etcd.io/docs/v3.4/dev-guide/api_grpc_gateway/ */
export interface EtcdSession {
  /** The members, as origins. */
  readonly urls: readonly string[];
  /** @returns the response, whose status is 200 @throws AttemptFailed */
  post(url: string, path: string, body: string, signal: AbortSignal): Promise<Response>;
  /** Whether a member can serve: it then has a leader. */
  isHealthy(url: string): Promise<boolean>;
  /** The next request authenticates again. @param used the token that was refused */
  forgetToken(used: unknown): void;
  /** Changes with each authentication. */
  token(): unknown;
  close(): void;
}

const HEALTH_MS = 1000;
/** The server hashes the password slowly. */
const AUTHENTICATION_MS = 2000;

export const openSession = ({ hosts, credentials }: DatabaseUrl, tls: PemFiles | undefined): EtcdSession => {
  const session = new Bun.FetchSession({ ...(tls && { tls }), proxy: false });
  let token: Promise<string> | undefined;

  const send = async (url: string, path: string, body: string, headers: object, signal: AbortSignal) => {
    try {
      const options = { method: "POST", body, headers: { ...headers }, redirect: "error", signal } as const;
      const response = await session.fetch(`${url}/v3/${path}`, options);
      if (response.ok) return response;
      throw failureOfResponse(response.status, await response.text());
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
    urls: hosts.map((host) => `${tls ? "https" : "http"}://${describeHost(host)}`),
    async post(url, path, body, signal) {
      // A watch at a member that has lost its leader ends.
      const headers = { "grpc-metadata-hasleader": "true" };
      const authorization = credentials && { authorization: await tokenFrom(url) };
      return send(url, path, body, { ...headers, ...authorization }, signal);
    },
    async isHealthy(url) {
      try {
        const response = await session.fetch(`${url}/health`, { signal: AbortSignal.timeout(HEALTH_MS) });
        return /"health"\s*:\s*"?true/.test(await response.text());
      } catch {
        return false;
      }
    },
    forgetToken(used) {
      if (token === used) token = undefined;
    },
    token: () => token,
    close: () => session.close(),
  };
};
