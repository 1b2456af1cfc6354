import { Fault } from "../../lib/errors.ts";
import { quoted } from "../../lib/text.ts";
import type { ProjectService } from "../projects/service.ts";
import type { Clock } from "../../lib/time.ts";
import type { Actor } from "../../lib/actor.ts";
import type { Domain, Role } from "./domain.ts";
import { parseHostname } from "../../lib/hostname.ts";
import { type ConfigFault, type DomainsConfig, readDomainsConfig } from "./roles-config.ts";
import type { Domains } from "./repository.ts";
import type { DomainsConfig as Mapping } from "./model.ts";
import { MAX_DOMAINS } from "./service.ts";

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
export const domainRoles = ({
  domains,
  projects,
  clock,
}: {
  domains: Pick<Domains, "list" | "assign">;
  projects: Pick<ProjectService, "get">;
  clock: Clock;
}) => {
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
