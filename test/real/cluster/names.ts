import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { zonesOf } from "../../platform/dns-checks/cases.ts";
import { type NameServers, nameServers } from "../dns-servers.ts";

const ZONES = 5;

/** Host names below several registered domains: a CA limits how many certificates it issues for each. */
export const customNames = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => `n${at}.d${at % ZONES}.test`);

/** Name servers at which all these names lead to `target`, and `target` to this machine. */
export const serveNames = (
  place: string,
  servers: NameServers,
  names: readonly string[],
  target: string,
): ReturnType<typeof nameServers> => {
  const zones = zonesOf({ usual: target, forbidden: "forbidden.pages.test", wide: "wide.pages.test" });
  const zone = (name: string, lines: readonly string[]) => {
    zones[name] = [`${name} NS ns.${name}`, `ns.${name} A 127.0.0.1`, ...lines];
  };
  zone("pages.test", [`${target} A 127.0.0.1`]);
  for (const [domain, below] of Map.groupBy(names, (name) => name.slice(name.indexOf(".") + 1)))
    zone(
      domain,
      below.map((name) => `${name} CNAME ${target}`),
    );
  const path = join(place, "dns");
  mkdirSync(path);
  return nameServers(path, zones, servers);
};
