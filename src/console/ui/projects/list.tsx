import { useInfiniteQuery } from "@tanstack/preact-query";
import { useLocation } from "../parts/router.ts";
import { pageOf, platform } from "../api/client.ts";
import { pluralize } from "../parts/count.ts";
import { Empty, Loading, Problem } from "../parts/feedback.tsx";
import { More } from "../parts/more.tsx";
import { Page } from "../parts/page.tsx";
import { Table } from "../parts/table.tsx";
import { useSession } from "../session.tsx";
import { projectPath, projectsPath, shownAddress } from "./addresses.ts";
import { NewProject } from "./new.tsx";
import { PLAN_NAMES } from "./plans.ts";
import { KEYS, type Project } from "./queries.ts";

const PAGE = 50;
const NEW = `${projectsPath}/new`;

const Rows = ({ projects }: { projects: Project[] }) => (
  <Table label="List of projects" kind="stack" columns={["Name", "Slug", "Plan", "Address"]}>
    {projects.map(({ slug, name, plan, address, activeDeploy }) => (
      <tr key={slug}>
        <td data-column="Name">
          <a href={projectPath(slug, "deploys")}>
            <bdi>{name}</bdi>
          </a>
        </td>
        <td data-column="Slug">{slug}</td>
        <td data-column="Plan">{PLAN_NAMES[plan]}</td>
        <td data-column="Address">
          {activeDeploy ? <a href={address}>{shownAddress(address)}</a> : "nothing deployed yet"}
        </td>
      </tr>
    ))}
  </Table>
);

/** All projects, page by page. */
export const Projects = () => {
  const { path } = useLocation();
  const mayChange = useSession().can("platform:write");
  const found = useInfiniteQuery({
    queryKey: KEYS.list,
    queryFn: ({ pageParam: cursor }) =>
      pageOf(
        platform.GET("/platform/projects", {
          params: { query: { limit: PAGE, ...(cursor && { cursor }) } },
        }),
      ),
    initialPageParam: "",
    getNextPageParam: ({ next }) => next,
  });
  const projects = found.data?.pages.flatMap(({ items }) => items);
  const isNew = path === NEW && mayChange;
  return (
    <Page
      title="Projects"
      part={isNew ? "New project" : undefined}
      actions={
        mayChange && (
          <a class="button" href={NEW}>
            New project
          </a>
        )
      }
    >
      {found.error && <Problem error={found.error} onRetry={found.refetch} />}
      {found.isPending && <Loading what="Loading projects" />}
      {projects?.length === 0 && (
        <Empty title="No projects yet">
          <p>A project publishes a site. Create one, then upload its files.</p>
        </Empty>
      )}
      {projects && projects.length > 0 && (
        <>
          <Rows projects={projects} />
          <More
            words={`${pluralize(projects.length, "project")} shown`}
            hasMore={found.hasNextPage}
            isBusy={found.isFetchingNextPage}
            onMore={found.fetchNextPage}
          />
        </>
      )}
      {isNew && <NewProject />}
    </Page>
  );
};
