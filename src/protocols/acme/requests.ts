import type { Clock } from "../../lib/time.ts";
import { malformed } from "./fields.ts";
import { type Signer, signedBody } from "./jws.ts";
import { type Directory, readDirectory } from "./objects.ts";
import { AcmeProblem, readProblem, readRetryAfter } from "./problem.ts";
import { type AcmeRequest, type AcmeResponse, type Fetch, transport } from "./transport.ts";

export interface RequestOptions {
  /** The directory's URL. */
  directory: string;
  /** PEM: CAs to trust for the server's own certificate, beside those of the system. */
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

/** RFC 8555 section 6.5: a nonce is used once, the newest first. */
const noncePool = () => {
  const nonces: string[] = [];
  return {
    /** Keeps the nonce of a response. */
    keep(headers: Headers): void {
      const nonce = headers.get("replay-nonce") ?? "";
      if (!NONCE.test(nonce)) return;
      nonces.push(nonce);
      if (nonces.length > MAX_NONCES) nonces.shift();
    },
    take: (): string | undefined => nonces.pop(),
  };
};

/** Requests to one CA, signed where RFC 8555 section 6.2 requires it. */
export const acmeRequests = (options: RequestOptions, dependencies: AcmeDependencies) => {
  const { sleep, clock } = dependencies;
  const send = transport(options, dependencies);
  const nonces = noncePool();
  let cachedDirectory: Directory | undefined;

  const retryAfterOf = ({ headers }: AcmeResponse): number | undefined =>
    readRetryAfter(headers.get("retry-after"), clock.now());

  /** @throws AcmeProblem for a status other than 2xx */
  const request = async (url: string, init: AcmeRequest): Promise<AcmeResponse> => {
    const response = await send(url, init);
    nonces.keep(response.headers);
    const { status } = response;
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
    const nonce = nonces.take();
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
      const nonce = nonces.take() ?? (await freshNonce());
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
