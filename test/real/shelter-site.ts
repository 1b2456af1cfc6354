import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { tarGzOf } from "../platform/deploys/archives.ts";
import { zonesOf } from "../platform/dns-checks/cases.ts";
import { surroundings } from "./authorities.ts";
import { nameServers } from "./dns-servers.ts";
import { serve, until } from "./support.ts";

/** Programs that a shelter's site needs. */
export { NEEDED as NAME_SERVERS } from "./dns-servers.ts";

interface Wire {
  stage: string;
  role: string;
}

/**
 * The server with HTTPS, a CA and name servers, and the project `shelter` on Pro with a deploy.
 * @param lines the records of the zones in the test domain `test`, by zone; `TARGET` is the project's CNAME target
 */
export const serveShelter = async (path: string, linesOf: (target: string) => Record<string, string[]>) => {
  await using stack = new AsyncDisposableStack();
  const { servers, authority, env, httpsPort } = await surroundings(path);
  stack.use(authority);
  const server = stack.use(await serve({ cwd: path, env }));
  const send = async (way: string, body?: object, method = "POST"): Promise<Response> =>
    server.call(way, {
      method,
      headers: { "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
  await send("/platform/projects", { slug: "shelter", name: "Shelter", plan: "pro" });
  const deploy = (content: string) =>
    server.call("/platform/projects/shelter/deploys", {
      method: "POST",
      headers: { "content-type": "application/gzip" },
      body: tarGzOf([{ name: "index.html", content }]),
    });
  await deploy("<h1>Shelter</h1>");
  const project = (await (await server.call("/platform/projects/shelter")).json()) as { target: string };
  const { target } = project;
  const zonesWith = (lines: Record<string, string[]>) => ({
    ...zonesOf({ usual: target, forbidden: "forbidden.pages.test", wide: "wide.pages.test" }),
    "pages.test": ["pages.test NS ns.pages.test", "ns.pages.test A 127.0.0.1", `${target} A 127.0.0.1`],
    ...Object.fromEntries(
      Object.entries(lines).map(([zone, own]) => [
        zone,
        [`${zone} NS ns.${zone}`, `ns.${zone} A 127.0.0.1`, ...own],
      ]),
    ),
  });
  const dns = join(path, "dns");
  mkdirSync(dns);
  const names = stack.use(await nameServers(dns, zonesWith(linesOf(target)), servers));
  const domains = "/platform/projects/shelter/domains";
  const show = async (hostname: string) =>
    (await (await server.call(`${domains}/${hostname}`)).json()) as Wire;
  const running = stack.move();
  return {
    ...server,
    httpsPort,
    rootFile: authority.rootFile,
    target,
    send,
    deploy,
    show,
    /** Adds a domain and checks it once. */
    async add(hostname: string): Promise<void> {
      await send(domains, { hostname });
      await send(`${domains}/${hostname}/verify`);
    },
    isLive: (hostname: string) =>
      until(`${hostname} is live`, async () => (await show(hostname)).stage === "live", 60_000),
    /** Gives the zones other records. */
    change: (lines: Record<string, string[]>) => names.change(zonesWith(lines)),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
};
