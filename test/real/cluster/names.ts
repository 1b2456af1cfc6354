import { type NameServers, nameServers } from "../dns-servers.ts";
import { zone, zonesWith } from "../site.ts";

const ZONES = 5;

/** Host names below several registered domains: a CA limits how many certificates it issues for each. */
export const customNames = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `n${index}.d${index % ZONES}.test`);

/** Name servers at which all these names lead to `target`, and `target` to this machine. */
export const serveNames = (
  servers: NameServers,
  names: readonly string[],
  target: string,
): ReturnType<typeof nameServers> => {
  const below = Map.groupBy(names, (name) => name.slice(name.indexOf(".") + 1));
  const custom = [...below].map(([domain, those]) =>
    zone(domain, ...those.map((name) => `${name} CNAME ${target}`)),
  );
  return nameServers(Object.assign(zonesWith(target), ...custom), servers);
};
