import { malformed } from "./objects.ts";
import { AcmeProblem, printable } from "./problem.ts";
import { reasonOf } from "../../lib/reason.ts";

/** HTTP as a certificate authority may be trusted with it: bounded in size and time, never led elsewhere. */

/** As Bun's own. */
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

/** @throws AcmeProblem if there is no answer, or one that is too large */
export type Send = (url: string, asked: AcmeRequest) => Promise<AcmeResponse>;

export const MAX_BYTES = 1024 * 1024;
export const MAX_MS = 30_000;

const isLoopback = (hostname: string): boolean =>
  hostname === "localhost" || hostname === "[::1]" || /^127(?:\.[0-9]{1,3}){3}$/.test(hostname);

/** HTTPS, or HTTP to loopback if the directory is there too: an answer from outside does not lead inside. */
const mayBeAsked = (url: URL, directory: URL): boolean => {
  if (url.protocol === "https:") return true;
  return url.protocol === "http:" && [url, directory].every((one) => isLoopback(one.hostname));
};

/** @throws AcmeProblem */
const assertMayBeAsked = (text: string, directory: string): void => {
  const url = URL.parse(text);
  const base = URL.parse(directory);
  if (!url || !base || !mayBeAsked(url, base)) throw malformed(`${text} is not an https URL`);
};

const UNTRUSTED = /CERT|SIGNATURE|ISSUER|TLS|SSL/;

/** By the code of the error that `fetch` rejects with. */
const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection closed",
  ENOTFOUND: "its name does not resolve",
  EAI_AGAIN: "its name does not resolve",
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
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body ?? []) {
    size += piece.length;
    if (size > MAX_BYTES) throw malformed(`more than ${MAX_BYTES} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
};

/**
 * Bun trusts nothing but `ca` where that is given: what it trusts otherwise is put beside it.
 * @param ca PEM
 */
const tlsOf = async (ca: string | undefined): Promise<Pick<BunFetchRequestInit, "tls">> => {
  if (ca === undefined) return {};
  const { getCACertificates } = await import("node:tls");
  return { tls: { ca: [...getCACertificates("default"), ca] } };
};

const HEADERS = { "user-agent": "adoption-store", "accept-language": "en", "accept-encoding": "identity" };

/** Asks below one directory: RFC 8555 section 6.1. */
export const transport = (
  { directory, ca }: { directory: string; ca?: string },
  { fetch, timeoutMs = MAX_MS }: { fetch: Fetch; timeoutMs?: number },
): Send => {
  let trusted: ReturnType<typeof tlsOf> | undefined;
  return async (url, { method, accept, body }) => {
    assertMayBeAsked(url, directory);
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(), timeoutMs);
    try {
      const answer = await fetch(url, {
        method,
        headers: {
          ...HEADERS,
          accept,
          ...(body !== undefined && { "content-type": "application/jose+json" }),
        },
        ...(body !== undefined && { body }),
        ...(await (trusted ??= tlsOf(ca))),
        redirect: "manual",
        decompress: false,
        signal: controller.signal,
      });
      return { status: answer.status, headers: answer.headers, body: await readBody(answer) };
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
