import { List } from "../parts/list.tsx";
import { Page } from "../parts/page.tsx";
import { useLocation } from "../parts/navigation.ts";
import { Table } from "../parts/table.tsx";
import { useSession } from "../session.tsx";
import { projectPath, projectsPath, shownAddress } from "./addresses.ts";
import { NewProject } from "./dialogs.tsx";
import { PLAN_NAMES, type Project } from "./model.ts";
import { useProjects } from "./queries.ts";
import { LIST } from "./words.ts";

const COLUMNS = LIST.columns;
const NEW = `${projectsPath}/new`;

const Rows = ({ projects }: { projects: readonly Project[] }) => (
  <Table label="List of projects" kind="projects" stackBelow={44} columns={Object.values(COLUMNS)}>
    {projects.map(({ slug, name, plan, address, activeDeploy }) => (
      <tr key={slug}>
        <td data-column={COLUMNS.name}>
          <a href={projectPath(slug, "deploys")}>
            <bdi>{name}</bdi>
          </a>
        </td>
        <td data-column={COLUMNS.slug}>{slug}</td>
        <td data-column={COLUMNS.plan}>{PLAN_NAMES[plan]}</td>
        <td data-column={COLUMNS.address}>
          {activeDeploy ? <a href={address}>{shownAddress(address)}</a> : "Nothing deployed yet"}
        </td>
      </tr>
    ))}
  </Table>
);

/** All projects, page by page. */
export const Projects = () => {
  const { path } = useLocation();
  const mayChange = useSession().can("platform:write");
  const isNew = path === NEW && mayChange;
  return (
    <Page
      title="Projects"
      part={isNew ? LIST.add : undefined}
      actions={
        mayChange && (
          <a class="button" href={NEW}>
            {LIST.add}
          </a>
        )
      }
    >
      <List
        found={useProjects()}
        thing="project"
        purpose="A project publishes a site. Create one, then upload its files."
      >
        {(projects) => <Rows projects={projects} />}
      </List>
      {isNew && <NewProject />}
    </Page>
  );
};
