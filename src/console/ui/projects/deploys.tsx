import { useEffect, useId, useRef, useState } from "preact/hooks";
import { Badge, Problem } from "../parts/feedback.tsx";
import { List } from "../parts/list.tsx";
import { Table } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";
import { useSession } from "../session.tsx";
import { projectPath } from "./addresses.ts";
import { RollBack } from "./dialogs.tsx";
import { type Deploy, type Project, contentOf } from "./model.ts";
import { useDeploys } from "./queries.ts";
import { useUploads } from "./uploads-provider.tsx";
import { uploadStatus } from "./uploads.ts";
import { DEPLOYS, PROJECT, UPLOAD } from "./words.ts";

/** The progress of an upload. */
const Progress = ({ share, cancel }: { share: number; cancel: () => void }) =>
  share < 1 ? (
    <>
      <progress aria-label="Sent" value={share} max={1} />
      <button type="button" class="small secondary outline" onClick={cancel}>
        Cancel
      </button>
    </>
  ) : (
    <progress aria-label={UPLOAD.unpacking} />
  );

/** Uploads an archive that is dropped or chosen. */
const Uploader = ({ slug }: { slug: string }) => {
  const uploads = useUploads();
  const input = useRef<HTMLInputElement>(null);
  const id = useId();
  const [isOver, setOver] = useState(false);
  const upload = uploads.of(slug);
  // The result has been shown here.
  useEffect(() => () => uploads.forget(slug), [uploads, slug]);
  const take = (files: FileList | null | undefined) => {
    const archive = files?.[0];
    if (archive) uploads.begin(slug, archive);
    // So that the same file can be chosen again.
    if (input.current) input.current.value = "";
  };
  return (
    <>
      <div
        class={isOver ? "drop over" : "drop"}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          take(event.dataTransfer?.files);
        }}
      >
        <label for={id}>
          Drop an archive of the site here, or choose one: a .tar.gz or .zip with index.html at its root.
        </label>
        <input
          ref={input}
          id={id}
          type="file"
          name="archive"
          accept=".zip,.gz,.tgz"
          onChange={(event) => take(event.currentTarget.files)}
        />
      </div>
      <div class="outcome">
        <span role="status">{uploadStatus(upload)}</span>
        {upload?.state === "sending" && <Progress share={upload.share} cancel={() => uploads.cancel(slug)} />}
      </div>
      {upload?.state === "failed" && <Problem error={upload.error} />}
    </>
  );
};

const COLUMNS = DEPLOYS.columns;

const State = ({ deploy: { status, active } }: { deploy: Deploy }) => {
  if (active) return <Badge tone="good">Live</Badge>;
  if (status === "succeeded") return <Badge tone="quiet">Succeeded</Badge>;
  return <Badge tone="bad">Failed</Badge>;
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
            <a class="button small secondary outline" href={preview} aria-label={`Preview of deploy ${id}`}>
              Preview
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
    label="List of deploys"
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
