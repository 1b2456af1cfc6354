import { plainResponse } from "../http/plain-page.ts";

const MAIN = `<h1>This site is not available right now</h1>
<p>The server is cut off from the other servers of its cluster. It cannot find out whether its copy of this site is current, so it shows nothing.</p>
<p>This usually takes seconds. Reload the page in a moment.</p>
<h2>If you operate this server</h2>
<p><code>adoption-store cluster status</code> says what is wrong. <code>STALE_LIMIT</code> sets how long sites are shown while the server is cut off.</p>`;

/** The page for a browser while a node may not show a site, because its copy may be old. */
export const unavailablePage = (headers: Readonly<Record<string, string>>): Response =>
  plainResponse(503, "Not available right now", MAIN, { ...headers, vary: "Accept" });
