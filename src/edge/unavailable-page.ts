import { PLAIN_STYLE, plainPage, plainPolicy } from "../http/plain-page.ts";
import { once } from "../lib/lazy.ts";

const policy = once(() => plainPolicy(PLAIN_STYLE));

const MAIN = `<h1>This site is not available right now</h1>
<p>The server is cut off from the other servers of its cluster. It cannot find out whether its copy of this site is current, so it shows nothing.</p>
<p>This usually takes seconds. Reload the page in a moment.</p>
<h2>If you operate this server</h2>
<p><code>adoption-store cluster status</code> says what is wrong. <code>STALE_LIMIT</code> sets how long sites are shown while the server is cut off.</p>`;

/** The page for a browser while a node may not show a site, because its copy may be old. */
export const unavailablePage = (headers: Readonly<Record<string, string>>): Response =>
  new Response(plainPage("Not available right now", PLAIN_STYLE, MAIN), {
    status: 503,
    headers: {
      ...headers,
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": policy(),
      "cache-control": "no-store",
      vary: "Accept",
    },
  });
