import { once } from "../lib/lazy.ts";

/** The Content-Security-Policy of our pages: this host's files and calls only. Icons of the style sheets are data: URLs. */
export const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** The style of pages that need neither a script nor another file, such as error pages. */
export const PLAIN_STYLE = `:root { color-scheme: light dark; --back: #fff; --text: #1d2430; --quiet: #4a5262; --line: #d5dae3; --code: #f2f4f8; }
@media (prefers-color-scheme: dark) {
  :root { --back: #13171f; --text: #e4e8f0; --quiet: #adb5c4; --line: #303848; --code: #1e2430; }
}
body { margin: 0; background: var(--back); color: var(--text); font: 1rem/1.6 system-ui, sans-serif; }
main { max-width: 42rem; margin: 0 auto; padding: 2.5rem 1rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 1rem; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; margin: 2rem 0 0.5rem; padding-top: 1.5rem; border-top: 1px solid var(--line); }
ul { padding-left: 1.2rem; }
li { margin-bottom: 1rem; }
code { font: 0.9em ui-monospace, monospace; }
pre { margin: 0.4rem 0; padding: 0.6rem 0.8rem; background: var(--code); border: 1px solid var(--line); border-radius: 0.4rem; white-space: pre-wrap; overflow-wrap: anywhere; }
p.quiet { color: var(--quiet); }`;

/** Only the page's own style and the empty icon: nothing is loaded, and no script runs. */
export const plainPolicy = (style: string, formAction: "'none'" | "'self'" = "'none'"): string =>
  [
    "default-src 'none'",
    `style-src 'sha256-${new Bun.CryptoHasher("sha256").update(style).digest("base64")}'`,
    "img-src data:",
    "base-uri 'none'",
    `form-action ${formAction}`,
    "frame-ancestors 'none'",
  ].join("; ");

/** @param title and `main` are HTML */
export const plainPage = (title: string, style: string, main: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<main>
${main}
</main>
</body>
</html>
`;

const policy = once(() => plainPolicy(PLAIN_STYLE));

/** An uncacheable response with a plain page. @param title and `main` are HTML */
export const plainResponse = (
  status: number,
  title: string,
  main: string,
  headers: Readonly<Record<string, string>>,
): Response =>
  new Response(plainPage(title, PLAIN_STYLE, main), {
    status,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": policy(),
      "cache-control": "no-store",
      ...headers,
    },
  });
