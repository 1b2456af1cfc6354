import { useQueryClient } from "@tanstack/preact-query";
import { useEffect, useRef, useState } from "preact/hooks";
import { dataOf, platform } from "../api/client.ts";
import { useAction, useToast } from "../parts/action.tsx";
import {
  type Deploy,
  type Project,
  activationWords,
  archiveTypeOf,
  contentOf,
  projectPath,
} from "./model.ts";
import { KEYS, useDeploys } from "./queries.ts";
import { Dialog, DialogButtons } from "../parts/dialog.tsx";
import { Badge, Loading, Problem, Time } from "../parts/page.tsx";
import { DropField } from "../parts/form.tsx";
import { idOf } from "../parts/address.ts";
import { useOne } from "../parts/queries.ts";
import { type Column, List, byId } from "../parts/table.tsx";
import { useSend, useShare, useUploads } from "../parts/uploads.ts";
import { useSession } from "../session.tsx";

const UNPACKING = "Unpacking…";

const deploysPath = (slug: string): string => `/platform/projects/${encodeURIComponent(slug)}/deploys`;

/** Returns a function that sends an archive. The user may be on another page when it ends; the project's page shows errors itself. */
const useDeploying = (slug: string) => {
  const queries = useQueryClient();
  const toast = useToast();
  const send = useSend();
  const linkOf = () => {
    void queries.invalidateQueries({ queryKey: KEYS.one(slug) });
    const href = projectPath(slug, "deploys");
    return location.pathname === href ? {} : { link: { href, label: "View deploys" } };
  };
  return (file: File, type: string): void =>
    send<Deploy>({
      path: deploysPath(slug),
      file,
      what: "archive",
      headers: { "content-type": type },
      onDone: (deploy) =>
        toast({ words: `Deployed to ${slug}: ${contentOf(deploy)}, now live`, ...linkOf() }),
      onFailed({ message }) {
        const { link } = linkOf();
        if (link) toast({ words: message, tone: "bad", link });
      },
    });
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
  const deploy = useDeploying(slug);
  const uploads = useUploads(deploysPath(slug));
  const [upload] = uploads;
  const share = useShare(upload?.id ?? 0);
  const sending = upload?.error ? undefined : upload;
  const [refused, setRefused] = useState<string>();
  const latest = useRef(uploads);
  latest.current = uploads;
  const forget = () => {
    for (const { error, forget } of latest.current) if (error) forget();
  };
  // The result has been shown here.
  useEffect(() => forget, [slug]);
  const take = ([archive]: readonly File[]) => {
    if (!archive || sending) return;
    forget();
    const type = archiveTypeOf(archive.name);
    setRefused(
      type ? undefined : `${archive.name} is neither a .tar.gz nor a .zip. Pack the site's folder first.`,
    );
    if (type) deploy(archive, type);
  };
  const error = refused ?? upload?.error;
  return (
    <>
      <DropField
        label="Drop an archive of the site here, or choose one: a .tar.gz or .zip with index.html at its root."
        name="archive"
        accept=".zip,.gz,.tgz"
        onFiles={take}
      />
      <div class="outcome">
        <span role="status">{sending && (share < 1 ? `Sending ${sending.file.name}…` : UNPACKING)}</span>
        {sending && <Progress share={share} cancel={sending.cancel} />}
      </div>
      {error && <Problem error={error} />}
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
