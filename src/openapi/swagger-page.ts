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
    <nav class="way-back" aria-label="Manual"><a href="/manual">Back to the manual</a></nav>
    <div id="swagger-ui"></div>
    <script src="${ASSET_PATH}/swagger-ui-bundle.js"></script>
    <script src="${ASSET_PATH}/swagger-ui-standalone-preset.js"></script>
    <script src="/docs/page.js"></script>
  </body>
</html>
`;

/** Fixes contrast, and adds the badge of beta operations. */
export const PAGE_CSS = `body { margin: 0; }
.way-back { padding: 0.5rem 1.25rem; font: 600 0.9rem/1.5 sans-serif; }
.way-back a { color: #1a5fb4; }
html.dark-mode .way-back a { color: #99c1f1; }
html.dark-mode .swagger-ui .headers td { color: inherit; }
.operation-row { display: flex; align-items: center; gap: 0.5rem; padding-right: 0.5rem; }
.operation-row > .opblock-summary { flex: 1; min-width: 0; }
.beta-badge { font: 600 0.75rem/1.5 sans-serif; padding: 0 0.5rem; border-radius: 1rem; background: #5b21b6; color: #fff; }
.swagger-ui .opblock.opblock-deprecated { opacity: 1; }
.swagger-ui .opblock .opblock-summary-method { color: #000; text-shadow: none; }
.swagger-ui .opblock.opblock-deprecated .opblock-summary-method, html.dark-mode .swagger-ui .opblock.opblock-deprecated .opblock-summary-method { background: #4b5563; color: #fff; }
html:not(.dark-mode) .swagger-ui .info .title small pre { color: #000; }
`;

export const PAGE_JS = `// A relative address is of no use to a reader: resolve it against this page.
const absolute = (url) => new URL(url, location.href).href.replace(/[/]$/, "");
const absoluteServers = () => ({
  statePlugins: {
    spec: {
      wrapActions: {
        updateJsonSpec: (update) => (spec) =>
          update({ ...spec, servers: spec.servers?.map((server) => ({ ...server, url: absolute(server.url) })) }),
      },
    },
  },
});
// A badge for operations that may still change.
const betaBadges = ({ React, specSelectors }) => ({
  wrapComponents: {
    OperationSummary: (Summary) => (props) =>
      React.createElement(
        "div",
        { className: "operation-row" },
        React.createElement(Summary, props),
        specSelectors.specJson().getIn(["paths", props.operationProps.get("path"), props.operationProps.get("method"), "x-stability"]) === "beta" &&
          React.createElement("span", { className: "beta-badge" }, "beta"),
      ),
  },
});
window.ui = SwaggerUIBundle({
  dom_id: "#swagger-ui",
  urls: [
    { url: "/openapi.json", name: "Store" },
    { url: "/platform/openapi.json", name: "Platform (beta)" },
  ],
  presets: [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset],
  layout: "StandaloneLayout",
  deepLinking: true,
  displayRequestDuration: true,
  filter: true,
  // The logo is an SVG with an inline style, which the Content-Security-Policy blocks.
  plugins: [() => ({ components: { Logo: () => null } }), absoluteServers, betaBadges],
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

/** The first two bytes of every gzip file (RFC 1952 section 2.3.1). */
const GZIP = [0x1f, 0x8b];

/** An embedded file, gzipped. The executable holds it so; in development the file is as the package has it. */
const gzipped = async (file: string): Promise<Uint8Array<ArrayBuffer>> => {
  const bytes = await Bun.file(file).bytes();
  return GZIP.every((byte, at) => bytes[at] === byte) ? bytes : Bun.gzipSync(bytes);
};

/** Responds with an embedded file. Each is read once, on first use, and for clients without gzip unpacked once. */
export const assetResponses = () => {
  const opened = new Map<string, Promise<Uint8Array<ArrayBuffer>>>();
  const open = (file: string, isGzip: boolean) => {
    const key = `${file} ${isGzip}`;
    const bytes = opened.get(key) ?? (isGzip ? gzipped(file) : gzipped(file).then(Bun.gunzipSync));
    opened.set(key, bytes);
    return bytes;
  };
  return async (name: string, acceptEncoding: string): Promise<Response> => {
    if (!Object.hasOwn(ASSETS, name)) throw new Fault("not_found");
    const { file, type } = ASSETS[name as keyof typeof ASSETS];
    const headers = {
      "content-type": type,
      "cache-control": "public, max-age=31536000, immutable",
      vary: "Accept-Encoding",
    };
    const isGzip = acceptedCodings(acceptEncoding).includes("gzip");
    return new Response(await open(file, isGzip), {
      headers: isGzip ? { ...headers, "content-encoding": "gzip" } : headers,
    });
  };
};
