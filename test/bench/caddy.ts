import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { type Bench, freePort } from "./bench.ts";
import { type Server, startServer } from "./processes.ts";

export const CADDY = "Caddy";

export interface CaddySite {
  host: string;
  /** The page at `/page`. */
  content: string;
  /** Files of a key and its certificate: with them, HTTPS. */
  pair?: { key: string; chain: string };
}

/** One site from files, by its host name and clean addresses, compressed in advance; no access log, as by default. */
const caddyfile = ({ host, pair }: CaddySite, root: string, port: number): string => `{
  admin off
  auto_https off
  servers {
    protocols h1 h2
  }
}
${pair ? "https" : "http"}://${host}:${port} {
  ${pair ? `tls ${pair.chain} ${pair.key}` : ""}
  bind 127.0.0.1
  root * ${root}
  try_files {path}.html
  file_server {
    precompressed br gzip
  }
}
`;

const writeSite = (root: string, content: string): void => {
  mkdirSync(root, { recursive: true });
  const page = join(root, "page.html");
  writeFileSync(page, content);
  writeFileSync(`${page}.br`, brotliCompressSync(content));
  writeFileSync(`${page}.gz`, gzipSync(content));
};

/** Serves a site by Caddy. */
export const startCaddy = async (
  { directory }: Bench,
  site: CaddySite,
): Promise<Server & { port: number }> => {
  const scheme = site.pair ? "https" : "http";
  const place = join(directory, `caddy-${scheme}`);
  const root = join(place, "site");
  writeSite(root, site.content);
  const port = await freePort();
  writeFileSync(join(place, "Caddyfile"), caddyfile(site, root, port));
  const command = ["caddy", "run", "--config", join(place, "Caddyfile")];
  return { ...(await startServer("caddy", command, { directory, settings: { HOME: place }, port })), port };
};
