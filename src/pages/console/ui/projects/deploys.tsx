import { useQueryClient } from "@tanstack/preact-query";
import { type ComponentChildren, createContext } from "preact";
import { useContext, useEffect, useLayoutEffect, useMemo, useState } from "preact/hooks";
import { dataOf, platform } from "../api/client.ts";
import { sendFile } from "../api/upload.ts";
import { guard } from "../parts/navigation.ts";
import { type Toast, useAction, useToast } from "../parts/action.tsx";
import { type Deploy, type Project, activationWords, contentOf, projectPath } from "./model.ts";
import { KEYS, useDeploys } from "./queries.ts";
import { type Sending, UNPACKING, type Uploads, uploadStatus, uploadTracker } from "./uploads.ts";
import { Dialog, DialogButtons } from "../parts/dialog.tsx";
import { Badge, Loading, Problem, Time } from "../parts/page.tsx";
import { DropField } from "../parts/form.tsx";
import { idOf } from "../parts/address.ts";
import { useOne } from "../parts/queries.ts";
import { type Column, List, byId } from "../parts/table.tsx";
import { useSession } from "../session.tsx";

const LEAVING = {
  title: "Cancel the upload?",
  text: "A site is being uploaded. If you leave now, nothing is deployed.",
  stay: "Keep uploading",
  leave: "Cancel the upload",
};

const sendArchive = (
  slug: string,
  archive: Blob,
  type: string,
  onProgress: (share: number) => void,
): Sending => {
  const path = `/platform/projects/${encodeURIComponent(slug)}/deploys`;
  const headers = { "content-type": type };
  const { result, cancel } = sendFile<Deploy>(path, archive, { what: "archive", headers, onProgress });
  return { deploy: result, cancel };
};

const Current = createContext<{ uploads: Uploads } | undefined>(undefined);

/** The uploads. Use it only below `UploadsProvider`. */
const useUploads = (): Uploads => useContext(Current)!.uploads;

/** The message about an upload. The user may be on another page by now; the project's page shows errors itself. */
const outcomeOf = (slug: string, result: Deploy | Error): Toast | undefined => {
  const href = projectPath(slug, "deploys");
  const link = location.pathname === href ? undefined : { href, label: "View deploys" };
  if (result instanceof Error) return link && { words: result.message, tone: "bad", link };
  return { words: `Deployed to ${slug}: ${contentOf(result)}, now live`, ...(link && { link }) };
};

/** Keeps uploads running while pages change. Closing the tab and signing out ask first. */
export const UploadsProvider = ({ children }: { children: ComponentChildren }) => {
  const queries = useQueryClient();
  const toast = useToast();
  const [changes, setChanges] = useState(0);
  const uploads = useMemo(
    () =>
      uploadTracker(
        sendArchive,
        () => setChanges((before) => before + 1),
        (slug, result) => {
          void queries.invalidateQueries({ queryKey: KEYS.one(slug) });
          const outcome = outcomeOf(slug, result);
          if (outcome) toast(outcome);
        },
      ),
    [queries, toast],
  );
  const areSending = uploads.areSending();
  // A layout effect, so that the tab closes freely as soon as the toast says that the upload is done.
  useLayoutEffect(() => (areSending ? guard(LEAVING, "console") : undefined), [areSending]);
  useEffect(() => () => uploads.cancelAll(), [uploads]);
  // A new value with each change, so that components that show an upload render again.
  const value = useMemo(() => ({ uploads }), [uploads, changes]);
  return <Current.Provider value={value}>{children}</Current.Provider>;
};

const RollBackDialog = ({ project: { slug, activeDeploy }, id }: { project: Project; id: number }) => {
  const back = projectPath(slug, "deploys");
  const { data: deploy, error } = useOne([...KEYS.deploys(slug), id], () =>
    platform.GET("/platform/projects/{slug}/deploys/{deployId}", {
      params: { path: { slug, deployId: id } },
    }),
  );
  const activate = (deployId: number) =>
    dataOf(
      platform.POST("/platform/projects/{slug}/deploys/{deployId}/activate", {
        params: { path: { slug, deployId } },
      }),
    );
  const activating = useAction({
    act: () => activate(id),
    changes: [KEYS.one(slug)],
    at: back,
    says: () => `Deploy ${id} is now live`,
    ...(activeDeploy !== undefined && { undo: () => activate(activeDeploy) }),
  });
  const { label, title } = activationWords(id, activeDeploy);
  const problem = error ?? activating.error;
  return (
    <Dialog title={title} back={back}>
      {problem && <Problem error={problem} />}
      {!deploy && !error && <Loading />}
      {deploy && id === activeDeploy && <p>Deploy {id} is already live.</p>}
      {deploy && id !== activeDeploy && (
        <p>
          It was created <Time at={deploy.createdAt} /> and has {contentOf(deploy)}. Visitors see it at once.{" "}
          {activeDeploy !== undefined && `Deploy ${activeDeploy} is kept, so that you can return to it.`}
        </p>
      )}
      <DialogButtons
        label={label}
        isBusy={activating.isPending}
        isEnabled={id !== activeDeploy && deploy?.status === "succeeded"}
        onConfirm={activating.run}
      />
    </Dialog>
  );
};

/** The dialog that makes another deploy live. @param chosen the id in the address */
const RollBack = ({ project, chosen }: { project: Project; chosen: string }) => {
  const id = idOf(chosen);
  if (id !== undefined) return <RollBackDialog key={id} project={project} id={id} />;
  return (
    <Dialog title="Make a deploy live" back={projectPath(project.slug, "deploys")}>
      <Problem error="There is no such deploy." />
    </Dialog>
  );
};

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

const Uploader = ({ slug }: { slug: string }) => {
  const uploads = useUploads();
  const upload = uploads.of(slug);
  // The result has been shown here.
  useEffect(() => () => uploads.forget(slug), [uploads, slug]);
  return (
    <>
      <DropField
        label="Drop an archive of the site here, or choose one: a .tar.gz or .zip with index.html at its root."
        name="archive"
        accept=".zip,.gz,.tgz"
        onFiles={([archive]) => archive && uploads.begin(slug, archive)}
      />
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
      cell: ({ id, status, active, preview }) => {
        const { label, title } = activationWords(id, project.activeDeploy);
        const path = projectPath(slug, "deploys", String(id), "activate");
        return (
          <>
            {preview && (
              <a class="button small secondary outline" href={preview} aria-label={`Preview of deploy ${id}`}>
                Preview
              </a>
            )}
            {mayChange && status === "succeeded" && !active && (
              <a class="button small secondary outline" href={path} aria-label={title}>
                {label}
              </a>
            )}
          </>
        );
      },
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
