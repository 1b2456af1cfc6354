import { reasonOf } from "../../lib/reason.ts";
import type { Clock } from "../../lib/time.ts";
import { malformed, type Directory, readDirectory } from "./objects.ts";
import { AcmeProblem, printable, readProblem, readRetryAfter } from "./problem.ts";
import { type Signer, signedBody } from "./keys.ts";

/** The type of Bun's own `fetch`. */
type Fetch = (url: string, init: BunFetchRequestInit) => Promise<Response>;

interface AcmeRequest {
  method: "GET" | "HEAD" | "POST";
  accept: string;
  /** Sent as `application/jose+json`. */
  body?: string;
}

export interface AcmeResponse {
  status: number;
  headers: Headers;
  body: string;
}

const MAX_BYTES = 1024 * 1024;
const MAX_MS = 30_000;

const isLoopback = (hostname: string): boolean =>
  hostname === "localhost" || hostname === "[::1]" || /^127(?:\.[0-9]{1,3}){3}$/.test(hostname);

/**
 * HTTPS, or HTTP to loopback if the directory is there too: a remote CA cannot make us send requests to this machine.
 * @throws AcmeProblem
 */
const assertAllowed = (text: string, directory: string): void => {
  const url = URL.parse(text);
  const isAllowed =
    url?.protocol === "https:" ||
    (url?.protocol === "http:" &&
      [url, URL.parse(directory)].every((one) => isLoopback(one?.hostname ?? "")));
  if (!isAllowed) throw malformed(`${text} is not an https URL`);
};

const UNTRUSTED = /CERT|SIGNATURE|ISSUER|TLS|SSL/;

/** By the code of the error that `fetch` rejects with. */
const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection closed",
  ENOTFOUND: "DNS does not resolve its name",
  EAI_AGAIN: "DNS does not respond, so its name does not resolve",
  ETIMEDOUT: "timed out",
  EHOSTUNREACH: "no route to it",
  ENETUNREACH: "no route to it",
};

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : "";

const networkReason = (error: unknown): string => {
  const code = codeOf(error);
  if (REASONS[code] !== undefined) return REASONS[code];
  if (UNTRUSTED.test(code)) return `its certificate is not trusted (${code})`;
  return code || reasonOf(error);
};

const unreachable = (url: string, reason: string): AcmeProblem =>
  new AcmeProblem({ type: "unreachable", detail: printable(`${new URL(url).origin}: ${reason}`) });

/** @throws AcmeProblem if it is too large */
const readBody = async ({ body }: Response): Promise<string> => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > MAX_BYTES) throw malformed(`more than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
};

/**
 * With `ca`, Bun trusts nothing else: the default CAs are added.
 * @param ca PEM
 */
const tlsOptions = async (ca: string | undefined): Promise<Pick<BunFetchRequestInit, "tls">> => {
  if (ca === undefined) return {};
  const { getCACertificates } = await import("node:tls");
  return { tls: { ca: [...getCACertificates("default"), ca] } };
};

export interface RequestOptions {
  /** The directory's URL. */
  directory: string;
  /** PEM: CAs to trust for the server's own certificate, in addition to those of the system. */
  ca?: string;
  userAgent?: string;
}

export interface AcmeDependencies {
  fetch: Fetch;
  sleep(milliseconds: number): Promise<unknown>;
  clock: Clock;
  /** For each request; 30 seconds by default. */
  timeoutMs?: number;
}

/** Sends requests to the CA of one directory (RFC 8555 section 6.1), bounded in size and time. Redirects are not followed. */
const transport = (
  { directory, ca, userAgent }: RequestOptions,
  { fetch, timeoutMs = MAX_MS }: AcmeDependencies,
) => {
  let tls: ReturnType<typeof tlsOptions> | undefined;
  /** @throws AcmeProblem without a response, or if it is too large */
  return async (url: string, { method, accept, body }: AcmeRequest): Promise<AcmeResponse> => {
    assertAllowed(url, directory);
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const response = await fetch(url, {
        method,
        headers: {
          // Without one, Bun sends its own: RFC 8555 section 6.1 requires a User-Agent.
          ...(userAgent !== undefined && { "user-agent": userAgent }),
          "accept-language": "en",
          "accept-encoding": "identity",
          accept,
          ...(body !== undefined && { "content-type": "application/jose+json" }),
        },
        ...(body !== undefined && { body }),
        ...(await (tls ??= tlsOptions(ca))),
        redirect: "manual",
        decompress: false,
        signal,
      });
      return { status: response.status, headers: response.headers, body: await readBody(response) };
    } catch (error) {
      if (error instanceof AcmeProblem) throw error;
      throw unreachable(url, signal.aborted ? `timed out after ${timeoutMs} ms` : networkReason(error));
    }
  };
};

const JSON_TYPE = "application/json";
const MAX_NONCE_RETRIES = 10;
const MAX_NONCES = 32;
/** RFC 8555 section 6.5.1. */
const NONCE = /^[A-Za-z0-9_-]{1,512}$/;

/** Milliseconds before a retry with a fresh nonce, for servers that share nonces with a delay: doubled each time, up to 1 s. */
const nonceWaitMs = (retry: number): number => Math.min(1000, 10 * 2 ** retry);

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

export const jsonOf = ({ body }: AcmeResponse): unknown => {
  const value = parse(body);
  if (value === undefined) throw malformed("not JSON");
  return value;
};

/** Requests to one CA, signed where RFC 8555 section 6.2 requires it. */
export const acmeRequests = (options: RequestOptions, dependencies: AcmeDependencies) => {
  const { sleep, clock } = dependencies;
  const send = transport(options, dependencies);
  /** RFC 8555 section 6.5: a nonce is used once, the newest first. */
  const nonces: string[] = [];
  let cachedDirectory: Directory | undefined;

  const retryAfterOf = ({ headers }: AcmeResponse): number | undefined =>
    readRetryAfter(headers.get("retry-after"), clock.now());

  /** @throws AcmeProblem for a status other than 2xx */
  const request = async (url: string, init: AcmeRequest): Promise<AcmeResponse> => {
    const response = await send(url, init);
    const { status, headers } = response;
    const nonce = headers.get("replay-nonce") ?? "";
    if (NONCE.test(nonce)) nonces.push(nonce);
    if (nonces.length > MAX_NONCES) nonces.shift();
    if (status >= 200 && status < 300) return response;
    if (status < 400) throw malformed(`status ${status}: redirects are not followed`);
    throw new AcmeProblem(
      readProblem(parse(response.body), { status, retryAfterMs: retryAfterOf(response) }),
    );
  };

  const get = (url: string): Promise<AcmeResponse> => request(url, { method: "GET", accept: JSON_TYPE });

  const directory = async (): Promise<Directory> => {
    cachedDirectory ??= readDirectory(jsonOf(await get(options.directory)));
    return cachedDirectory;
  };

  const freshNonce = async (): Promise<string> => {
    await request((await directory()).newNonce, { method: "HEAD", accept: "*/*" });
    const nonce = nonces.pop();
    if (nonce === undefined) throw malformed("no nonce");
    return nonce;
  };

  /** Retries `badNonce`, and nothing else. @param payload undefined for a POST-as-GET */
  const post = async (
    signer: Signer,
    url: string,
    payload?: unknown,
    accept = JSON_TYPE,
  ): Promise<AcmeResponse> => {
    for (let retry = 0; ; retry += 1) {
      const nonce = nonces.pop() ?? (await freshNonce());
      const body = await signedBody(signer, { url, nonce, payload });
      try {
        return await request(url, { method: "POST", accept, body });
      } catch (error) {
        const isBadNonce = error instanceof AcmeProblem && error.type === "badNonce";
        if (!isBadNonce || retry === MAX_NONCE_RETRIES) throw error;
        // RFC 8555 section 6.5: a badNonce response carries a fresh nonce, now the newest.
        await sleep(nonceWaitMs(retry + 1));
      }
    }
  };

  return { directory, get, post, retryAfterOf };
};
