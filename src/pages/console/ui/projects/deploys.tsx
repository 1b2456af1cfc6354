import { useEffect, useId, useRef, useState } from "preact/hooks";
import { Badge, Problem } from "../parts/feedback.tsx";
import { type Column, List, byId } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";
import { useSession } from "../session.tsx";
import { RollBack } from "./dialogs.tsx";
import { type Deploy, type Project, activationWords, contentOf, projectPath } from "./model.ts";
import { useDeploys } from "./queries.ts";
import { useUploads } from "./uploads-provider.tsx";
import { UNPACKING, uploadStatus } from "./uploads.ts";

const Progress = ({ share, cancel }: { share: number; cancel: () => void }) =>
  share < 1 ? (
    <>
      <progress aria-label="Sent" value={share} max={1} />
      <button type="button" class="small secondary outline" onClick={cancel}>
        Cancel
      </button>
    </>
  ) : (
    <progress aria-label={UNPACKING} />
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

const stateOf = ({ status, active }: Deploy) => {
  if (active) return <Badge tone="good">Live</Badge>;
  if (status === "succeeded") return <Badge tone="quiet">Succeeded</Badge>;
  return <Badge tone="bad">Failed</Badge>;
};

const Actions = ({
  deploy,
  project,
  mayChange,
}: {
  deploy: Deploy;
  project: Project;
  mayChange: boolean;
}) => {
  const { id, status, active, preview } = deploy;
  const { label, title } = activationWords(id, project.activeDeploy);
  return (
    <>
      {preview && (
        <a class="button small secondary outline" href={preview} aria-label={`Preview of deploy ${id}`}>
          Preview
        </a>
      )}
      {mayChange && status === "succeeded" && !active && (
        <a
          class="button small secondary outline"
          href={projectPath(project.slug, "deploys", String(id), "activate")}
          aria-label={title}
        >
          {label}
        </a>
      )}
    </>
  );
};

/** The deploys of a project, newest first, with an upload and a rollback. */
export const Deploys = ({ project, chosen }: { project: Project; chosen: string | undefined }) => {
  const { slug } = project;
  const mayChange = useSession().can("platform:write");
  const columns: readonly Column<Deploy>[] = [
    { name: "Id", kind: "number", cell: ({ id }) => id },
    { name: "When", cell: ({ createdAt }) => <Time at={createdAt} /> },
    { name: "State", cell: stateOf },
    {
      name: "Content",
      cell: (deploy) => (deploy.status === "succeeded" ? contentOf(deploy) : <bdi>{deploy.reason}</bdi>),
    },
    {
      name: "Actions",
      kind: "actions",
      cell: (deploy) => <Actions deploy={deploy} project={project} mayChange={mayChange} />,
    },
  ];
  return (
    <>
      <h2>Deploys</h2>
      {mayChange && <Uploader slug={slug} />}
      <List
        found={useDeploys(slug)}
        thing="deploy"
        table={{ label: "List of deploys", kind: "deploys", stackBelow: 40, columns, keyOf: byId }}
      />
      {mayChange && chosen && <RollBack project={project} chosen={chosen} />}
    </>
  );
};
