import type { Handler } from "./handler.ts";
import { hostnameOf } from "./https-redirect.ts";

/** The response to a CA's challenge (RFC 8555 section 8.3); undefined if none is pending. */
export type Challenge = (hostname: string, token: string) => string | undefined;

const CHALLENGE_PATH = "/.well-known/acme-challenge/";
const CHALLENGE = /^https?:\/\/[^/]*\/\.well-known\/acme-challenge\/([\w-]{1,128})$/;

/** Lets another process respond to challenges of CAs; undefined for every other request. */
export const challengeForwarder =
  (forward: Handler) =>
  (request: Request): Response | Promise<Response> | undefined =>
    request.url.includes(CHALLENGE_PATH) ? forward(request) : undefined;

/** Responds to challenges of CAs; undefined for every other request. */
export const challengeHandler =
  (challenge: Challenge) =>
  ({ url, headers }: Request): Response | undefined => {
    const token = url.includes(CHALLENGE_PATH) ? CHALLENGE.exec(url)?.[1] : undefined;
    const text = token && challenge(hostnameOf(headers.get("host")), token);
    return text
      ? new Response(text, {
          headers: { "content-type": "application/octet-stream", "cache-control": "no-store" },
        })
      : undefined;
  };
