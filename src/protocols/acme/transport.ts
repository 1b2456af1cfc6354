import { reasonOf } from "../../lib/reason.ts";
import { malformed } from "./fields.ts";
import { AcmeProblem, printable } from "./problem.ts";

/** The type of Bun's own `fetch`. */
export type Fetch = (url: string, init: BunFetchRequestInit) => Promise<Response>;

export interface AcmeRequest {
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

/** @throws AcmeProblem if there is no response, or one that is too large */
export type Send = (url: string, request: AcmeRequest) => Promise<AcmeResponse>;

export const MAX_BYTES = 1024 * 1024;
export const MAX_MS = 30_000;

const isLoopback = (hostname: string): boolean =>
  hostname === "localhost" || hostname === "[::1]" || /^127(?:\.[0-9]{1,3}){3}$/.test(hostname);

/** HTTPS, or HTTP to loopback if the directory is there too: a remote CA cannot make us send requests to this machine. */
const isAllowed = (url: URL, directory: URL): boolean => {
  if (url.protocol === "https:") return true;
  return url.protocol === "http:" && [url, directory].every((one) => isLoopback(one.hostname));
};

/** @throws AcmeProblem */
const assertAllowed = (text: string, directory: string): void => {
  const url = URL.parse(text);
  const base = URL.parse(directory);
  if (!url || !base || !isAllowed(url, base)) throw malformed(`${text} is not an https URL`);
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

/** Sends requests to the CA of one directory (RFC 8555 section 6.1), bounded in size and time. Redirects are not followed. */
export const transport = (
  { directory, ca, userAgent }: { directory: string; ca?: string; userAgent?: string },
  { fetch, timeoutMs = MAX_MS }: { fetch: Fetch; timeoutMs?: number },
): Send => {
  let tls: ReturnType<typeof tlsOptions> | undefined;
  return async (url, { method, accept, body }) => {
    assertAllowed(url, directory);
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(), timeoutMs);
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
        signal: controller.signal,
      });
      return { status: response.status, headers: response.headers, body: await readBody(response) };
    } catch (error) {
      const isLate = controller.signal.aborted;
      controller.abort();
      if (error instanceof AcmeProblem) throw error;
      throw unreachable(url, isLate ? `timed out after ${timeoutMs} ms` : networkReason(error));
    } finally {
      clearTimeout(timer);
    }
  };
};
