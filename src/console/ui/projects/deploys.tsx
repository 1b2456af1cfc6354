import { useInfiniteQuery } from "@tanstack/preact-query";
import { pageOf, platform } from "../api/client.ts";
import { pluralize } from "../parts/count.ts";
import { Badge, Empty, Loading, Problem } from "../parts/feedback.tsx";
import { More } from "../parts/more.tsx";
import { Time } from "../parts/time.tsx";
import { Table } from "../parts/table.tsx";
import { useSession } from "../session.tsx";
import { projectPath } from "./addresses.ts";
import { contentOf } from "./archive.ts";
import { KEYS, type Deploy, type Project } from "./queries.ts";
import { RollBack } from "./roll-back.tsx";
import { Uploader } from "./uploader.tsx";

const PAGE = 50;

const State = ({ deploy: { status, active, reason } }: { deploy: Deploy }) => {
  if (active) return <Badge tone="good">live</Badge>;
  if (status === "succeeded") return <Badge tone="quiet">succeeded</Badge>;
  return (
    <>
      <Badge tone="bad">failed</Badge> <bdi>{reason}</bdi>
    </>
  );
};

const Row = ({ deploy, project, mayChange }: { deploy: Deploy; project: Project; mayChange: boolean }) => {
  const { id, status, active, createdAt } = deploy;
  const isEarlier = id < (project.activeDeploy ?? 0);
  return (
    <tr>
      <td class="number" data-column="Id">
        {id}
      </td>
      <td data-column="When">
        <Time at={createdAt} />
      </td>
      <td data-column="State">
        <div>
          <State deploy={deploy} />
        </div>
      </td>
      <td data-column="Content">{status === "succeeded" ? contentOf(deploy) : "–"}</td>
      <td>
        {mayChange && status === "succeeded" && !active && (
          <a
            class="button small secondary outline"
            href={projectPath(project.slug, "deploys", String(id), "activate")}
            aria-label={`${isEarlier ? "Roll back to" : "Make live:"} deploy ${id}`}
          >
            {isEarlier ? "Roll back" : "Make live"}
          </a>
        )}
      </td>
    </tr>
  );
};

/** The deploys of a project, newest first, with an upload and a rollback. */
export const Deploys = ({ project, chosen }: { project: Project; chosen: string | undefined }) => {
  const { slug } = project;
  const mayChange = useSession().can("platform:write");
  const found = useInfiniteQuery({
    queryKey: KEYS.deploys(slug),
    queryFn: ({ pageParam: cursor }) =>
      pageOf(
        platform.GET("/platform/projects/{slug}/deploys", {
          params: { path: { slug }, query: { limit: PAGE, ...(cursor && { cursor }) } },
        }),
      ),
    initialPageParam: "",
    getNextPageParam: ({ next }) => next,
  });
  const deploys = found.data?.pages.flatMap(({ items }) => items);
  return (
    <>
      <h2>Deploys</h2>
      {mayChange && <Uploader slug={slug} />}
      {found.error && <Problem error={found.error} onRetry={found.refetch} />}
      {found.isPending && <Loading what="Loading deploys" />}
      {deploys?.length === 0 && <Empty title="No deploys yet" />}
      {deploys && deploys.length > 0 && (
        <Table
          label="List of deploys"
          kind="deploys stack"
          columns={[
            { name: "Id", kind: "number" },
            "When",
            "State",
            "Content",
            { name: "Actions", kind: "actions" },
          ]}
        >
          {deploys.map((deploy) => (
            <Row key={deploy.id} deploy={deploy} project={project} mayChange={mayChange} />
          ))}
        </Table>
      )}
      {deploys && deploys.length > 0 && (
        <More
          words={`${pluralize(deploys.length, "deploy")} shown`}
          hasMore={found.hasNextPage}
          isBusy={found.isFetchingNextPage}
          onMore={found.fetchNextPage}
        />
      )}
      {mayChange && chosen && <RollBack project={project} chosen={chosen} />}
    </>
  );
};
