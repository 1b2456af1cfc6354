import { Page } from "../parts/page.tsx";
import { useLocation } from "../parts/navigation.ts";
import { type Column, List } from "../parts/table.tsx";
import { useSession } from "../session.tsx";
import { NewProject } from "./dialogs.tsx";
import { PLAN_NAMES, type Project, projectPath, projectsPath, shownAddress } from "./model.ts";
import { useProjects } from "./queries.ts";

const ADD = { href: `${projectsPath}/new`, label: "Create project" };

const COLUMNS: readonly Column<Project>[] = [
  {
    name: "Name",
    cell: ({ slug, name }) => (
      <a href={projectPath(slug, "deploys")}>
        <bdi>{name}</bdi>
      </a>
    ),
  },
  { name: "Slug", cell: ({ slug }) => slug },
  { name: "Plan", cell: ({ plan }) => PLAN_NAMES[plan] },
  {
    name: "Address",
    cell: ({ address, activeDeploy }) =>
      activeDeploy ? <a href={address}>{shownAddress(address)}</a> : "Nothing deployed yet",
  },
];

export const Projects = () => {
  const { path } = useLocation();
  const mayChange = useSession().can("platform:write");
  const isNew = path === ADD.href && mayChange;
  return (
    <Page title="Projects" part={isNew ? ADD.label : undefined} add={mayChange && ADD}>
      <List
        found={useProjects()}
        thing="project"
        purpose="A project publishes a site. Create one, then upload its files."
        table={{
          label: "List of projects",
          kind: "projects",
          stackBelow: 44,
          columns: COLUMNS,
          keyOf: ({ slug }) => slug,
        }}
      />
      {isNew && <NewProject />}
    </Page>
  );
};
