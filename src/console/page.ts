import { SCRIPT, STYLE } from "./assets.ts";

/** The console's only page. Its script shows a view by the page's address. */
export const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <meta name="description" content="The console of the adoption store: animals, adoptions, sites and keys." />
    <title>Adoption store</title>
    <link rel="icon" href="data:," />
    <link rel="stylesheet" href="${STYLE.path}" />
    <script type="module" src="${SCRIPT.path}"></script>
  </head>
  <body>
    <div id="console"><main class="container"><p class="loading" aria-busy="true">Loading…</p></main></div>
    <noscript><main class="container"><p>The console needs JavaScript. The API and the command line do all that it does.</p></main></noscript>
  </body>
</html>
`;
