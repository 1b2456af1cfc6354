import { STANDING } from "../http/headers.ts";
import { PLAIN_STYLE, plainPage, plainPolicy } from "../http/plain-page.ts";
import { once } from "../lib/lazy.ts";
import type { UnservedDomain } from "./repository.ts";

const policy = once(() => plainPolicy(PLAIN_STYLE));

/** What visitors read, and when they should try again, in seconds. */
const REASONS: Readonly<
  Record<UnservedDomain["reason"], { state: string; words: string; retryAfter?: number }>
> = {
  suspended: {
    state: "is suspended",
    words: "This site is not shown at the moment. If it is yours, your project's settings show the reason.",
  },
  awaits_certificate: {
    state: "is nearly ready",
    words: "Its certificate is being issued, which usually takes a couple of minutes. Reload the page then.",
    retryAfter: 60,
  },
  awaits_records: {
    state: "is not ready yet",
    words:
      "Its DNS records have not been verified. If the site is yours, your project's settings show what is missing.",
    retryAfter: 60,
  },
};

/**
 * The page of a custom domain that does not show its site now. 503 (RFC 9110 section 15.6.4), because the site comes back: for
 * 404 or 410, search engines would forget it. A parsed name holds letters, digits, dots, hyphens and underscores.
 */
export const unservedPage = ({ hostname, reason }: UnservedDomain): Response => {
  const { state, words, retryAfter } = REASONS[reason];
  const title = `${hostname} ${state}`;
  return new Response(plainPage(title, PLAIN_STYLE, `<h1>${title}</h1>\n<p>${words}</p>`), {
    status: 503,
    headers: {
      ...STANDING,
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": policy(),
      "cache-control": "no-store",
      "x-robots-tag": "noindex",
      ...(retryAfter !== undefined && { "retry-after": `${retryAfter}` }),
    },
  });
};
