import type { Handler } from "./handler.ts";
import { hostnameOf } from "./https-redirect.ts";

/** The response to a CA's challenge (RFC 8555 section 8.3); undefined if none is pending. */
export type Challenge = (hostname: string, token: string) => Promise<string | undefined>;

const CHALLENGE_PATH = "/.well-known/acme-challenge/";
const CHALLENGE = /^https?:\/\/[^/]*\/\.well-known\/acme-challenge\/([\w-]{1,128})$/;

/** Responds to the challenges of CAs; undefined for every other request, and if no challenge is pending. */
export type RespondToChallenge = (request: Request) => Promise<Response | undefined> | undefined;

/** Lets another process respond to challenges. */
export const challengeForwarder =
  (forward: Handler): RespondToChallenge =>
  (request) =>
    request.url.includes(CHALLENGE_PATH) ? Promise.resolve(forward(request)) : undefined;

export const challengeHandler = (challenge: Challenge): RespondToChallenge => {
  const respond = async (hostname: string, token: string): Promise<Response | undefined> => {
    const text = await challenge(hostname, token);
    return text === undefined
      ? undefined
      : new Response(text, {
          headers: { "content-type": "application/octet-stream", "cache-control": "no-store" },
        });
  };
  return ({ url, headers }) => {
    const token = url.includes(CHALLENGE_PATH) ? CHALLENGE.exec(url)?.[1] : undefined;
    return token === undefined ? undefined : respond(hostnameOf(headers.get("host")), token);
  };
};
