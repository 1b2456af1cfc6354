import { surroundings } from "./authorities.ts";
import { nameServers } from "./dns-servers.ts";
import { publish, upload, zone, zonesWith } from "./site.ts";
import { directory, serve, until } from "./support.ts";

/** Programs that a shelter's site needs. */
export { NEEDED as NAME_SERVERS } from "./dns-servers.ts";

interface Wire {
  stage: string;
  role: string;
}

/**
 * The server with HTTPS, a CA and name servers, and the project `shelter` on Pro with a deploy.
 * @param linesOf the records of the zones in the test domain `test`, by zone
 */
export const serveShelter = async (linesOf: (target: string) => Record<string, string[]>) => {
  const { servers, authority, env, httpsPort } = await surroundings(directory());
  const server = await serve({ env });
  const target = await publish(server, "shelter", {
    name: "Shelter",
    files: { "index.html": "<h1>Shelter</h1>" },
  });
  const withShelter = (lines: Record<string, string[]>) =>
    Object.assign(zonesWith(target), ...Object.entries(lines).map(([name, own]) => zone(name, ...own)));
  const names = await nameServers(withShelter(linesOf(target)), servers);
  const domains = "/platform/projects/shelter/domains";
  const show = (hostname: string) => server.read<Wire>(`${domains}/${hostname}`);
  return {
    ...server,
    httpsPort,
    rootFile: authority.rootFile,
    target,
    deploy: (content: string) => upload(server, "shelter", { "index.html": content }),
    show,
    /** Adds a domain and checks it once. */
    async attach(hostname: string): Promise<void> {
      await server.send(domains, { hostname });
      await server.send(`${domains}/${hostname}/verify`);
    },
    isLive: (hostname: string) =>
      until(`${hostname} is live`, async () => (await show(hostname)).stage === "live", 60_000),
    /** Gives the zones other records. */
    change: (lines: Record<string, string[]>) => names.change(withShelter(lines)),
  };
};
