import { Badge } from "../parts/feedback.tsx";
import { List } from "../parts/list.tsx";
import { Time } from "../parts/time.tsx";
import { Table } from "../parts/table.tsx";
import { useSession } from "../session.tsx";
import { projectPath } from "./addresses.ts";
import { contentOf } from "./archive.ts";
import { type Deploy, type Project, useDeploys } from "./queries.ts";
import { RollBack } from "./roll-back.tsx";
import { Uploader } from "./uploader.tsx";
import { DEPLOYS, PROJECT } from "./words.ts";

const COLUMNS = DEPLOYS.columns;

const State = ({ deploy: { status, active } }: { deploy: Deploy }) => {
  if (active) return <Badge tone="good">{DEPLOYS.live}</Badge>;
  if (status === "succeeded") return <Badge tone="quiet">{DEPLOYS.succeeded}</Badge>;
  return <Badge tone="bad">{DEPLOYS.failed}</Badge>;
};

const Row = ({ deploy, project, mayChange }: { deploy: Deploy; project: Project; mayChange: boolean }) => {
  const { id, status, active, reason, preview, createdAt } = deploy;
  const isEarlier = id < (project.activeDeploy ?? 0);
  return (
    <tr>
      <td class="number" data-column={COLUMNS.id}>
        {id}
      </td>
      <td data-column={COLUMNS.when}>
        <Time at={createdAt} />
      </td>
      <td data-column={COLUMNS.state}>
        <State deploy={deploy} />
      </td>
      <td data-column={COLUMNS.content}>
        {status === "succeeded" ? contentOf(deploy) : <bdi>{reason}</bdi>}
      </td>
      <td class="actions">
        <div>
          {preview && (
            <a class="button small secondary outline" href={preview} aria-label={DEPLOYS.previewOf(id)}>
              {DEPLOYS.preview}
            </a>
          )}
          {mayChange && status === "succeeded" && !active && (
            <a
              class="button small secondary outline"
              href={projectPath(project.slug, "deploys", String(id), "activate")}
              aria-label={isEarlier ? DEPLOYS.rollBackTo(id) : DEPLOYS.makeDeployLive(id)}
            >
              {isEarlier ? DEPLOYS.rollBack : DEPLOYS.makeLive}
            </a>
          )}
        </div>
      </td>
    </tr>
  );
};

const Rows = ({
  deploys,
  project,
  mayChange,
}: {
  deploys: readonly Deploy[];
  project: Project;
  mayChange: boolean;
}) => (
  <Table
    label={DEPLOYS.table}
    kind="deploys"
    stackBelow={40}
    columns={[
      { name: COLUMNS.id, kind: "number" },
      COLUMNS.when,
      COLUMNS.state,
      COLUMNS.content,
      { name: COLUMNS.actions, kind: "actions" },
    ]}
  >
    {deploys.map((deploy) => (
      <Row key={deploy.id} deploy={deploy} project={project} mayChange={mayChange} />
    ))}
  </Table>
);

/** The deploys of a project, newest first, with an upload and a rollback. */
export const Deploys = ({ project, chosen }: { project: Project; chosen: string | undefined }) => {
  const { slug } = project;
  const mayChange = useSession().can("platform:write");
  return (
    <>
      <h2>{PROJECT.deploys}</h2>
      {mayChange && <Uploader slug={slug} />}
      <List found={useDeploys(slug)} thing="deploy">
        {(deploys) => <Rows deploys={deploys} project={project} mayChange={mayChange} />}
      </List>
      {mayChange && chosen && <RollBack project={project} chosen={chosen} />}
    </>
  );
};
