import { useMutation, useQuery, useQueryClient } from "@tanstack/preact-query";
import { dataOf, platform } from "../api/client.ts";
import { Dialog } from "../parts/dialog.tsx";
import { useFinish } from "../parts/finish.ts";
import { Loading, Problem } from "../parts/feedback.tsx";
import { idOf } from "../parts/id.ts";
import { Time } from "../parts/time.tsx";
import { projectPath } from "./addresses.ts";
import { contentOf } from "./archive.ts";
import { KEYS, type Project } from "./queries.ts";

const NO_SUCH = new Error("There is no such deploy.");

const RollBackDialog = ({ project: { slug, activeDeploy }, id }: { project: Project; id: number }) => {
  const queries = useQueryClient();
  const done = useFinish();
  const back = projectPath(slug, "deploys");
  const params = { path: { slug, deployId: id } };
  const { data: deploy, error } = useQuery({
    queryKey: [...KEYS.deploys(slug), id],
    queryFn: () => dataOf(platform.GET("/platform/projects/{slug}/deploys/{deployId}", { params })),
  });
  const activating = useMutation({
    mutationFn: () =>
      dataOf(platform.POST("/platform/projects/{slug}/deploys/{deployId}/activate", { params })),
    onSuccess: () => queries.invalidateQueries({ queryKey: KEYS.one(slug) }),
  });
  const isEarlier = id < (activeDeploy ?? 0);
  const isLive = id === activeDeploy;
  const problem = error ?? activating.error;
  return (
    <Dialog title={isEarlier ? `Roll back to deploy ${id}` : `Make deploy ${id} live`} back={back}>
      {problem && <Problem error={problem} />}
      {!deploy && !error && <Loading />}
      {deploy && isLive && <p>Deploy {id} is already live.</p>}
      {deploy && !isLive && (
        <p>
          It was created <Time at={deploy.createdAt} /> and has {contentOf(deploy)}. Visitors see it at once
          {activeDeploy !== undefined && <>. Deploy {activeDeploy} is kept, so that you can return to it</>}.
        </p>
      )}
      <footer>
        <a class="button secondary outline" href={back}>
          Cancel
        </a>
        <button
          type="button"
          aria-busy={activating.isPending}
          disabled={activating.isPending || isLive || deploy?.status !== "succeeded"}
          onClick={() =>
            activating.mutate(undefined, { onSuccess: () => done(back, `Deploy ${id} is now live.`) })
          }
        >
          {isEarlier ? "Roll back" : "Make live"}
        </button>
      </footer>
    </Dialog>
  );
};

/** The dialog that makes another deploy live. @param chosen the id in the address */
export const RollBack = ({ project, chosen }: { project: Project; chosen: string }) => {
  const id = idOf(chosen);
  if (id !== undefined) return <RollBackDialog key={id} project={project} id={id} />;
  return (
    <Dialog title="Make a deploy live" back={projectPath(project.slug, "deploys")}>
      <Problem error={NO_SUCH} />
    </Dialog>
  );
};
