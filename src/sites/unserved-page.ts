import { STANDING } from "../http/headers.ts";
import { plainResponse } from "../http/html-page.ts";
import { awaitsCertificate, type StoredStage } from "../domains/stage.ts";
import type { UnservedDomain } from "./repository.ts";

/** The text for visitors: the end of the heading, and a paragraph. */
const wordsFor = (stage: StoredStage): readonly [state: string, text: string] => {
  if (stage === "suspended")
    return ["is suspended", "If this is your site, your project's settings show the reason."];
  if (awaitsCertificate(stage) && stage !== "issue_failed")
    return ["is nearly ready", "It is waiting for its certificate. Reload the page in a couple of minutes."];
  return ["is not ready yet", "If this is your site, your project's settings show what to do."];
};

/**
 * The page of a custom domain that does not show its site now. 503 (RFC 9110 section 15.6.4), because the site will return: after
 * 404 or 410, search engines would drop it. A parsed name holds letters, digits, dots, hyphens and underscores.
 */
export const unservedPage = ({ hostname, stage }: UnservedDomain): Response => {
  const [state, text] = wordsFor(stage);
  const title = `${hostname} ${state}`;
  return plainResponse(503, title, `<h1>${title}</h1>\n<p>${text}</p>`, {
    ...STANDING,
    "x-robots-tag": "noindex",
    ...(stage !== "suspended" && { "retry-after": "60" }),
  });
};
