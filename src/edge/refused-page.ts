import { once } from "../lib/lazy.ts";
import { hostnameOf } from "./https-redirect.ts";
import type { SiteDestination } from "./hosts.ts";

const STYLE = `:root { color-scheme: light dark; --back: #fff; --text: #1d2430; --quiet: #4a5262; --line: #d5dae3; --code: #f2f4f8; }
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

/** Only the style above and the empty icon: nothing is loaded, and no script runs. */
const policy = once(() =>
  [
    "default-src 'none'",
    `style-src 'sha256-${new Bun.CryptoHasher("sha256").update(STYLE).digest("base64")}'`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
);

type Remedy = readonly [when: string, command: string];

/**
 * The scheme that the browser most likely used. A proxy may say so; the header needs no trust, because it changes only advice.
 * Without a port in its address, the browser most likely reached a proxy that speaks HTTPS.
 */
const schemeOf = ({ url, headers }: Request, port: string): string =>
  url.startsWith("https:") || headers.get("x-forwarded-proto") === "https" || port === "" ? "https" : "http";

const apiRemedies = (name: string, origin: string): Remedy[] => [
  [
    "This is the address of the API and the console: set BASE_URL as the browser shows it, and start the server again.",
    `BASE_URL=${origin}`,
  ],
  ["The API has another main address, and this is one more:", `API_HOSTS=${name}`],
];

/** A slug has no dot; a name with one more label is no project's. */
const projectRemedies = (slug: string): Remedy[] =>
  slug.includes(".")
    ? []
    : [
        [
          `This is the address of the project ${slug}: publish its site.`,
          `adoption-store deploy DIRECTORY --project ${slug} --create`,
        ],
      ];

const domainRemedies = (name: string): Remedy[] => [
  [
    "This is a custom domain of a project: add it, and create the DNS record that the command names.",
    `adoption-store domains add ${name} --project PROJECT`,
  ],
  [`Projects are published below this name, as PROJECT.${name}:`, `PLATFORM_DOMAIN=${name}`],
];

const remediesFor = (request: Request, name: string, destination: SiteDestination): Remedy[] => {
  const { port } = destination;
  const api = apiRemedies(name, `${schemeOf(request, port)}://${name}${port}`);
  return destination.kind === "project"
    ? [...projectRemedies(destination.slug), ...api]
    : [...api, ...domainRemedies(name)];
};

const remedyItem = ([when, command]: Remedy): string => `<li>${when}<pre><code>${command}</code></pre></li>`;

const pageOf = (name: string, remedies: readonly Remedy[]): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>Unknown host name</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>This server does not serve ${name}</h1>
<p>The request arrived, but no setting and no project has this name. The server refuses unknown names, so that strangers cannot point their own names at it.</p>
<p>If you followed a link, check the address, or tell the operator.</p>
<h2>If you operate this server</h2>
<ul>
${remedies.map(remedyItem).join("\n")}
</ul>
<p class="quiet">The log names refused hosts. <code>adoption-store status</code> lists them.</p>
</main>
</body>
</html>
`;

/**
 * The page for a browser that asked for a host that nothing serves. It repeats only the name and port of a parsed Host, which
 * hold letters, digits, dots, hyphens and underscores.
 */
export const refusedPage = (request: Request, destination: SiteDestination): Response => {
  const name = hostnameOf(request.headers.get("host"));
  return new Response(pageOf(name, remediesFor(request, name, destination)), {
    status: 421,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": policy(),
      "cache-control": "no-store",
      vary: "Accept",
    },
  });
};
