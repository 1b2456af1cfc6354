import { useQuery } from "@tanstack/preact-query";
import { dataOf, platform } from "../api/client.ts";
import { Dialog } from "../parts/dialog.tsx";
import { DialogButtons } from "../parts/dialog-buttons.tsx";
import { Loading, Problem } from "../parts/feedback.tsx";
import { idOf } from "../parts/id.ts";
import { Time } from "../parts/time.tsx";
import { useAction } from "../parts/use-action.ts";
import { projectPath } from "./addresses.ts";
import { contentOf } from "./archive.ts";
import { KEYS, type Deploy, type Project } from "./queries.ts";
import { DEPLOYS } from "./words.ts";

const NO_SUCH = new Error(DEPLOYS.noSuch);

const What = ({ deploy, activeDeploy }: { deploy: Deploy; activeDeploy: number | undefined }) => {
  if (deploy.id === activeDeploy) return <p>{DEPLOYS.isLive(deploy.id)}</p>;
  return (
    <p>
      {DEPLOYS.created} <Time at={deploy.createdAt} /> {DEPLOYS.content(contentOf(deploy))}{" "}
      {activeDeploy !== undefined && DEPLOYS.kept(activeDeploy)}
    </p>
  );
};

const RollBackDialog = ({ project: { slug, activeDeploy }, id }: { project: Project; id: number }) => {
  const back = projectPath(slug, "deploys");
  const { data: deploy, error } = useQuery({
    queryKey: [...KEYS.deploys(slug), id],
    queryFn: () =>
      dataOf(
        platform.GET("/platform/projects/{slug}/deploys/{deployId}", {
          params: { path: { slug, deployId: id } },
        }),
      ),
  });
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
    says: () => DEPLOYS.nowLive(id),
    ...(activeDeploy !== undefined && { undo: () => activate(activeDeploy) }),
  });
  const isEarlier = id < (activeDeploy ?? 0);
  const problem = error ?? activating.error;
  return (
    <Dialog title={isEarlier ? DEPLOYS.rollBackTo(id) : DEPLOYS.makeDeployLive(id)} back={back}>
      {problem && <Problem error={problem} />}
      {!deploy && !error && <Loading />}
      {deploy && <What deploy={deploy} activeDeploy={activeDeploy} />}
      <DialogButtons
        back={back}
        label={isEarlier ? DEPLOYS.rollBack : DEPLOYS.makeLive}
        isBusy={activating.isPending}
        isEnabled={id !== activeDeploy && deploy?.status === "succeeded"}
        onConfirm={activating.run}
      />
    </Dialog>
  );
};

/** The dialog that makes another deploy live. @param chosen the id in the address */
export const RollBack = ({ project, chosen }: { project: Project; chosen: string }) => {
  const id = idOf(chosen);
  if (id !== undefined) return <RollBackDialog key={id} project={project} id={id} />;
  return (
    <Dialog title={DEPLOYS.makeSomeLive} back={projectPath(project.slug, "deploys")}>
      <Problem error={NO_SUCH} />
    </Dialog>
  );
};
