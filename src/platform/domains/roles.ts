import type { Actor } from "../../lib/actor.ts";
import { Fault } from "../../lib/errors.ts";
import type { FieldRule } from "../../lib/field-problems.ts";
import { parseHostname } from "../../lib/hostname.ts";
import { quoted } from "../../lib/text.ts";
import type { Context } from "../../data/context.ts";
import type { ProjectService } from "../projects/service.ts";
import type { Domain, Role } from "./domain.ts";
import type { DomainsConfig as Mapping } from "./model.ts";
import type { Domains } from "./repository.ts";
import { MAX_DOMAINS } from "./service.ts";

/** The specified mapping of a project's domains: `primary`, and `redirects` to it. */
export interface DomainsConfig {
  primary: string;
  redirects: Redirect[];
}

interface ConfigFault {
  /** Where in the mapping, such as `domains.redirects[1].to`. */
  path: string;
  rule: FieldRule;
  max?: number;
  message: string;
}

type ReadConfig = { ok: true; config: DomainsConfig } | { ok: false; faults: ConfigFault[] };

/** Returns the A-labels of a typed name; undefined if it is not a host name. */
type Normalise = (typed: string) => string | undefined;

interface Reading {
  domains: ReadonlySet<string>;
  normalise: Normalise;
  faults: ConfigFault[];
}

const isMapping = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const mappingAt = (value: unknown, path: string, keys: string[], { faults }: Reading) => {
  if (!isMapping(value))
    return void faults.push({
      path,
      rule: value === undefined ? "required" : "type",
      message: "must be a mapping",
    });
  for (const key of Object.keys(value))
    if (!keys.includes(key))
      faults.push({
        path: `${path}.${key}`,
        rule: "unknown",
        message: `is unknown; known: ${keys.join(", ")}`,
      });
  return value;
};

const messageFor = (value: unknown): string =>
  typeof value === "string" && value.trim().startsWith("*.")
    ? "must not be a wildcard: it always shows the site"
    : "must be a domain name";

const domainAt = (value: unknown, path: string, { domains, normalise, faults }: Reading): string => {
  const name = typeof value === "string" ? normalise(value) : undefined;
  if (name === undefined) faults.push({ path, rule: "format", message: messageFor(value) });
  else if (!domains.has(name))
    faults.push({ path, rule: "not_found", message: `${name} is not a domain of this project` });
  return name ?? "";
};

const redirectAt = (value: unknown, path: string, reading: Reading) => {
  const entry = mappingAt(value, path, ["from", "to", "status"], reading);
  if (!entry) return undefined;
  const from = domainAt(entry["from"], `${path}.from`, reading);
  const to = domainAt(entry["to"], `${path}.to`, reading);
  if (entry["status"] !== 301)
    reading.faults.push({ path: `${path}.status`, rule: "not_one_of", message: "must be 301" });
  return { from, to, status: 301 };
};

type Redirect = NonNullable<ReturnType<typeof redirectAt>>;

/** True if following `to` from this redirect comes back to its `from`. */
const isLoop = ({ from, to }: Redirect, next: ReadonlyMap<string, string>): boolean => {
  const seen = new Set<string>();
  let at: string | undefined = to;
  while (at !== undefined && at !== from && !seen.has(at)) {
    seen.add(at);
    at = next.get(at);
  }
  return at === from;
};

const faultsOfRedirects = (redirects: (Redirect | undefined)[], primary: string): ConfigFault[] => {
  const known = redirects.filter((one) => one !== undefined);
  const next = new Map(known.map(({ from, to }) => [from, to]));
  return redirects.flatMap((one, at) => {
    if (!one || one.from === "" || one.to === "") return [];
    const path = `domains.redirects[${at}]`;
    const fault = (key: string, message: string, rule: FieldRule = "conflict"): ConfigFault => ({
      path: `${path}.${key}`,
      rule,
      message,
    });
    const found: ConfigFault[] = [];
    if (one.from === primary)
      found.push(fault("from", `${one.from} is the primary domain, which redirects nowhere`));
    if (redirects.findIndex((other) => other?.from === one.from) < at)
      found.push(fault("from", `${one.from} redirects already`, "duplicate"));
    if (isLoop(one, next)) found.push(fault("to", `${one.from} comes back to itself: a loop`));
    else if (next.has(one.to)) found.push(fault("to", `${one.to} redirects itself: a chain`));
    else if (primary !== "" && one.to !== primary)
      found.push(fault("to", `must be the primary domain, ${primary}`));
    return found;
  });
};

/**
 * Reads `{"domains": {"primary", "redirects": [{"from", "to", "status": 301}]}}` against the project's own domains (in
 * A-labels). Returns the configuration, or all of its faults.
 */
export const readDomainsConfig = (
  body: unknown,
  domains: ReadonlySet<string>,
  normalise: Normalise,
): ReadConfig => {
  const reading: Reading = { domains, normalise, faults: [] };
  const top = isMapping(body) ? body : {};
  for (const key of Object.keys(top))
    if (key !== "domains")
      reading.faults.push({ path: key, rule: "unknown", message: "is unknown; known: domains" });
  const mapping = mappingAt(top["domains"], "domains", ["primary", "redirects"], reading);
  if (!mapping) return { ok: false, faults: reading.faults };
  const primary = domainAt(mapping["primary"], "domains.primary", reading);
  const list = mapping["redirects"] ?? [];
  const isRight = Array.isArray(list) && list.length <= MAX_DOMAINS;
  if (!isRight)
    reading.faults.push({
      path: "domains.redirects",
      ...(Array.isArray(list) ? { rule: "too_long", max: MAX_DOMAINS } : { rule: "type" }),
      message: `must be a list of at most ${MAX_DOMAINS}`,
    });
  const entries: unknown[] = isRight ? list : [];
  const redirects = entries.map((entry, at) => redirectAt(entry, `domains.redirects[${at}]`, reading));
  const faults = [...reading.faults, ...faultsOfRedirects(redirects, primary)];
  if (faults.length > 0) return { ok: false, faults };
  return { ok: true, config: { primary, redirects: redirects.filter((one) => one !== undefined) } };
};

const MAX_FAULTS = 20;

const normalise = (typed: string): string | undefined => {
  const parsed = parseHostname(typed);
  return parsed.ok ? parsed.hostname.ascii : undefined;
};

const formatFault = ({ path, message }: ConfigFault): string =>
  `${/^[\w.[\]-]{1,100}$/.test(path) ? path : quoted(path)}: ${message}`;

const refusal = (faults: ConfigFault[]): Fault => {
  const more = faults.length - MAX_FAULTS;
  const lines = faults.slice(0, MAX_FAULTS).map(formatFault);
  const message = [...lines, ...(more > 0 ? [`and ${more} more`] : [])].join("; ");
  const fields = faults.map(({ path: field, rule, max }) => ({ field, rule, max }));
  return new Fault("invalid_request", message, undefined, fields);
};

const rolesOf = ({ primary, redirects }: DomainsConfig): Record<string, Role> => ({
  ...Object.fromEntries(redirects.map(({ from }) => [from, "redirect" as const])),
  [primary]: "primary",
});

const mappingOf = (domains: readonly Domain[]): Mapping => {
  const to = domains.find(({ role }) => role === "primary")?.hostname;
  if (to === undefined) return { domains: { redirects: [] } };
  const redirects = domains
    .filter(({ role }) => role === "redirect")
    .map(({ hostname }) => ({ from: hostname, to, status: 301 as const }));
  return { domains: { primary: to, redirects } };
};

/** Which of a project's domains is the primary one, and which redirect to it: the specified mapping. */
export const domainRoles = ({ clock }: Context, domains: Domains, projects: ProjectService) => {
  const listAll = (projectId: number) => domains.list({ projectId, after: 0, limit: MAX_DOMAINS });

  return {
    /** @throws Fault not_found */
    async read(slug: string): Promise<Mapping> {
      return mappingOf(await listAll((await projects.get(slug)).id));
    },
    /**
     * Applies the mapping as a whole or not at all. Domains that it does not name serve the site.
     * @throws Fault not_found, invalid_request with every fault
     */
    async write(slug: string, body: unknown, actor: Actor): Promise<Mapping> {
      const { id } = await projects.get(slug);
      const tries = [1, 2, 3];
      for (const _ of tries) {
        const names = new Set((await listAll(id)).map(({ hostname }) => hostname));
        const read = readDomainsConfig(body, names, normalise);
        if (!read.ok) throw refusal(read.faults);
        const act = { actor, now: clock.now() };
        if (await domains.assign(id, rolesOf(read.config), "served", act))
          return mappingOf(await listAll(id));
        // A domain was removed in the meantime: read the mapping again, so that the fault names it.
      }
      throw new Fault("invalid_request", "The project's domains are changing; try again.");
    },
  };
};

export type DomainRolesService = ReturnType<typeof domainRoles>;
