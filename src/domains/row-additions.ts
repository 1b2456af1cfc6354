import { Fault, fieldFault, statusOf } from "../lib/errors.ts";
import type { Actor } from "../lib/actor.ts";
import type { DomainRow } from "../lib/domain-list.ts";
import type { Hostname } from "../lib/hostname.ts";
import type { ProjectService } from "../projects/service.ts";
import { ROLES } from "./domain.ts";
import type { ListedDomain, Project } from "./views.ts";

interface Addition {
  domain: ListedDomain;
  isNew: boolean;
}

/** The result for a row of a list, with the row's own host name. */
export type RowResult = Pick<DomainRow, "hostname" | "project"> & (Addition | { fault: Fault });

interface RowAdditionOptions {
  projects: Pick<ProjectService, "get">;
  /** @throws Fault invalid_request */
  acceptable: (typed: string) => Hostname;
  addName: (
    project: Project,
    hostname: string,
    options: { actor: Actor; isRedirect: boolean },
  ) => Promise<Addition>;
  makePrimary: (slug: string, hostname: string, actor: Actor) => Promise<ListedDomain>;
  assertCanBePrimary: (hostname: Hostname) => void;
}

/** A primary domain is added before the domains that redirect to it. */
const ADDED_FIRST = ["primary", "served", "redirect"];

const placeOf = ({ role = "served" }: DomainRow): number => ADDED_FIRST.indexOf(role);

const missingProject = () =>
  fieldFault("invalid_request", { field: "project", rule: "required" }, "project: is missing");

const unknownRole = () =>
  fieldFault("invalid_request", { field: "role", rule: "not_one_of" }, `role: must be ${ROLES.join(" or ")}`);

/** Adds the rows of lists. */
export const rowAdditions = ({
  projects,
  acceptable,
  addName,
  makePrimary,
  assertCanBePrimary,
}: RowAdditionOptions) => {
  /** @throws Fault why the row is refused */
  const add = async (row: DomainRow, actor: Actor): Promise<Addition> => {
    if (row.project === undefined) throw missingProject();
    if (placeOf(row) === -1) throw unknownRole();
    const project = await projects.get(row.project);
    const hostname = acceptable(row.hostname);
    const isPrimary = row.role === "primary";
    if (isPrimary) assertCanBePrimary(hostname);
    const added = await addName(project, hostname.ascii, { actor, isRedirect: row.role === "redirect" });
    if (!isPrimary || !added.isNew || added.domain.role === "primary") return added;
    return { domain: await makePrimary(project.slug, hostname.ascii, actor), isNew: true };
  };

  const resultOf = async (row: DomainRow, actor: Actor): Promise<RowResult> => {
    const { hostname, project } = row;
    try {
      return { hostname, project, ...(await add(row, actor)) };
    } catch (error) {
      // A failure of the service ends the list. It can be added again.
      if (!(error instanceof Fault) || statusOf(error.code) >= 500) throw error;
      return { hostname, project, fault: error };
    }
  };

  /**
   * Adds the domain of each row in its own atomic step. The results are in the order of the rows. A domain that its project
   * already has is left unchanged.
   * @param project of rows that name none
   */
  return async (
    rows: readonly DomainRow[],
    project: string | undefined,
    actor: Actor,
  ): Promise<RowResult[]> => {
    const results: RowResult[] = [];
    const ordered = [...rows.entries()].toSorted(([, one], [, other]) => placeOf(one) - placeOf(other));
    for (const [at, row] of ordered)
      results[at] = await resultOf({ ...row, project: row.project ?? project }, actor);
    return results;
  };
};
