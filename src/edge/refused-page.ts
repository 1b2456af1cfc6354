import { plainResponse } from "../http/html-page.ts";
import { parsePreviewLabel } from "../lib/preview.ts";
import { hostnameOf } from "./https-redirect.ts";
import type { SiteDestination } from "./hosts.ts";

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

/** A slug has no dot, and a preview's deploy comes only from its project. */
const projectRemedies = (slug: string): Remedy[] =>
  slug.includes(".") || parsePreviewLabel(slug)
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

const mainOf = (
  name: string,
  remedies: readonly Remedy[],
): string => `<h1>This server does not serve ${name}</h1>
<p>The request arrived, but no setting and no project has this name. The server refuses unknown names, so that strangers cannot point their own names at it.</p>
<p>If you followed a link, check the address, or tell the operator.</p>
<h2>If you operate this server</h2>
<ul>
${remedies.map(remedyItem).join("\n")}
</ul>
<p class="quiet">The log names refused hosts. <code>adoption-store status</code> lists them.</p>`;

/**
 * The page for a browser that asked for a host that nothing serves. It repeats only the name and port of a parsed Host, which
 * hold letters, digits, dots, hyphens and underscores.
 */
export const refusedPage = (request: Request, destination: SiteDestination): Response => {
  const name = hostnameOf(request.headers.get("host"));
  const main = mainOf(name, remediesFor(request, name, destination));
  return plainResponse(421, "Unknown host name", main, { vary: "Accept" });
};
