import type { Project } from "../projects/queries.ts";
import { DomainPage } from "./domain.tsx";
import { DomainList } from "./list.tsx";

/** Project settings → Domains: the list, or one domain. */
export const DomainsArea = ({
  project,
  item,
  part,
}: {
  project: Project;
  item: string | undefined;
  part: string | undefined;
}) =>
  item === undefined || item === "new" ? (
    <DomainList project={project} isAdding={item === "new"} />
  ) : (
    <DomainPage key={item} project={project} hostname={item} isRemoving={part === "remove"} />
  );
