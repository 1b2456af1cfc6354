import type { Actor } from "../lib/actor.ts";
import type { DomainRow } from "../lib/domain-list.ts";
import { Fault, statusOf } from "../lib/errors.ts";
import type { Hostname } from "../lib/hostname.ts";
import type { ProjectService } from "../projects/service.ts";
import type { ListedDomain, Project } from "./views.ts";

interface Addition {
  domain: ListedDomain;
  isNew: boolean;
}

/** The result for a row of a list, with the row's own host name. */
export type RowResult = Pick<DomainRow, "hostname" | "project"> & (Addition | { fault: Fault });

interface RowAdditionOptions {
  projects: Pick<ProjectService, "get">;
  acceptable: (typed: string) => Hostname;
  addName: (project: Project, name: string, row: { actor: Actor; isRedirect: boolean }) => Promise<Addition>;
  makePrimary: (slug: string, hostname: string, actor: Actor) => Promise<ListedDomain>;
}

/** A primary domain is added before the domains that redirect to it. */
const ADDED_FIRST = ["primary", "served", "redirect"];
const placeOf = ({ role = "served" }: DomainRow): number => ADDED_FIRST.indexOf(role);

const invalid = (message: string) => new Fault("invalid_request", message);

export const noPrimary = () =>
  invalid("A wildcard cannot be the primary domain: no visitor can be redirected to it.");

/** A failure of the service ends the list, which can be added again. @throws anything but a refusal of the row */
const refusalOf = (error: unknown): { fault: Fault } => {
  if (!(error instanceof Fault) || statusOf(error.code) >= 500) throw error;
  return { fault: error };
};

/**
 * Adds the domain of each row in its own atomic step, and returns the results in the order of the rows. A domain that its
 * project already has is left unchanged.
 */
export const rowAdditions = ({ projects, acceptable, addName, makePrimary }: RowAdditionOptions) => {
  /** @throws Fault why the row is refused */
  const add = async (row: DomainRow, slug: string | undefined, actor: Actor): Promise<Addition> => {
    if (slug === undefined) throw invalid("project: is missing");
    if (placeOf(row) === -1) throw invalid("role: must be primary, served or redirect");
    const project = await projects.get(slug);
    const hostname = acceptable(row.hostname);
    const isPrimary = row.role === "primary";
    if (isPrimary && hostname.isWildcard) throw noPrimary();
    const added = await addName(project, hostname.ascii, { actor, isRedirect: row.role === "redirect" });
    if (!added.isNew || !isPrimary) return added;
    return { domain: await makePrimary(slug, hostname.ascii, actor), isNew: true };
  };
  /** @param fallback the project of rows that name none */
  return async (rows: readonly DomainRow[], fallback: string | undefined, actor: Actor) => {
    const results: RowResult[] = [];
    for (const [at, row] of [...rows.entries()].toSorted(([, a], [, b]) => placeOf(a) - placeOf(b))) {
      const { hostname, project = fallback } = row;
      results[at] = { hostname, project, ...(await add(row, project, actor).catch(refusalOf)) };
    }
    return results;
  };
};
