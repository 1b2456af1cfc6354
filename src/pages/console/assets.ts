import { createHash } from "node:crypto";
import { staticText } from "../../http/static-text.ts";
import { packedBundle } from "../../lib/bundle.ts" with { type: "macro" };
import { packedBytes, unpack } from "../../lib/packed.ts";
import { packedStyleSheet } from "./style-sheet.ts" with { type: "macro" };

const asset = (name: string, type: string, packed: string) => {
  const content = unpack(packed);
  const hash = createHash("sha256").update(content).digest("hex").slice(0, 16);
  return {
    /** Changes with the content. */
    path: `/console/assets/${hash}/${name}`,
    respond: staticText(
      content,
      `${type}; charset=utf-8`,
      { "cache-control": "public, max-age=31536000, immutable" },
      { br: packedBytes(packed) },
    ),
  };
};

export const SCRIPT = asset("console.js", "text/javascript", packedBundle("pages/console/ui/main.tsx"));
export const STYLE = asset("console.css", "text/css", packedStyleSheet());

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
