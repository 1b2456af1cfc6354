import swaggerCss from "swagger-ui-dist/swagger-ui.css" with { type: "file" };
import swaggerBundle from "swagger-ui-dist/swagger-ui-bundle.js" with { type: "file" };
import swaggerPreset from "swagger-ui-dist/swagger-ui-standalone-preset.js" with { type: "file" };
import swaggerPackage from "swagger-ui-dist/package.json" with { type: "json" };
import { acceptedCodings } from "../lib/accept.ts";
import { Fault } from "../lib/errors.ts";
import type { Addresses } from "./sections.ts";

/** The embedded files of the Swagger page. Their path changes with their version. */
const ASSETS = {
  "swagger-ui.css": { file: swaggerCss, type: "text/css; charset=utf-8" },
  "swagger-ui-bundle.js": { file: swaggerBundle, type: "text/javascript; charset=utf-8" },
  "swagger-ui-standalone-preset.js": { file: swaggerPreset, type: "text/javascript; charset=utf-8" },
} as const;

export const ASSET_PATH = `/docs/swagger-ui-${swaggerPackage.version}`;

export const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Animal Adoption Store API</title>
    <link rel="icon" href="data:," />
    <link rel="stylesheet" href="${ASSET_PATH}/swagger-ui.css" />
    <link rel="stylesheet" href="/docs/page.css" />
  </head>
  <body>
    <div id="swagger-ui"></div>
    <script src="${ASSET_PATH}/swagger-ui-bundle.js"></script>
    <script src="${ASSET_PATH}/swagger-ui-standalone-preset.js"></script>
    <script src="/docs/page.js"></script>
  </body>
</html>
`;

/** Fixes contrast: header names in dark mode, the badge of a deprecated operation in light mode. */
export const PAGE_CSS = `body { margin: 0; }
html.dark-mode .swagger-ui .headers td { color: inherit; }
.swagger-ui .opblock.opblock-deprecated { opacity: 1; }
.swagger-ui .opblock.opblock-deprecated .opblock-summary-method { background: #6b7280; color: #fff; }
`;

export const PAGE_JS = `window.ui = SwaggerUIBundle({
  dom_id: "#swagger-ui",
  urls: [
    { url: "/openapi.json", name: "Store" },
    { url: "/platform/openapi.json", name: "Platform (beta)" },
  ],
  presets: [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset],
  layout: "StandaloneLayout",
  deepLinking: true,
  displayRequestDuration: true,
  // The logo is an SVG with an inline style, which the Content-Security-Policy blocks.
  plugins: [() => ({ components: { Logo: () => null } })],
  validatorUrl: null,
});
`;

/** Allows this host's own files, and calls to the addresses in the documents. */
export const contentSecurityPolicy = ({ baseUrl, stagingBaseUrl }: Addresses): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    `connect-src ${["'self'", baseUrl, stagingBaseUrl].filter((one) => one !== "").join(" ")}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");

/** Responds with an embedded file. Each is compressed once, on first use. */
export const assetResponses = () => {
  const compressed = new Map<string, Promise<Uint8Array<ArrayBuffer>>>();
  const gzipOf = (name: string, file: string) => {
    const gzipped = compressed.get(name) ?? Bun.file(file).bytes().then(Bun.gzipSync);
    compressed.set(name, gzipped);
    return gzipped;
  };
  return async (name: string, acceptEncoding: string): Promise<Response> => {
    if (!Object.hasOwn(ASSETS, name)) throw new Fault("not_found");
    const { file, type } = ASSETS[name as keyof typeof ASSETS];
    const headers = {
      "content-type": type,
      "cache-control": "public, max-age=31536000, immutable",
      vary: "Accept-Encoding",
    };
    if (!acceptedCodings(acceptEncoding).includes("gzip")) return new Response(Bun.file(file), { headers });
    return new Response(await gzipOf(name, file), { headers: { ...headers, "content-encoding": "gzip" } });
  };
};
