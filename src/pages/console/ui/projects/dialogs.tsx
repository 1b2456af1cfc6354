import { useQueryClient } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { dataOf, platform } from "../api/client.ts";
import { About, Dialog, DialogButtons, DialogForm } from "../parts/dialog.tsx";
import { Loading, Problem } from "../parts/feedback.tsx";
import { type FormWords, NAME } from "../parts/field-words.ts";
import { SelectField, TextField, useDraft } from "../parts/form.tsx";
import { idOf } from "../parts/address.ts";
import { useOne } from "../parts/queries.ts";
import { Time } from "../parts/time.tsx";
import { useAction } from "../parts/action.tsx";
import {
  type NewProject as ProjectBody,
  PLAN_NAMES,
  type Plan,
  type Project,
  activationWords,
  contentOf,
  projectPath,
  projectsPath,
  shownAddress,
  slugOf,
} from "./model.ts";
import { KEYS } from "./queries.ts";

export const PROBLEMS: FormWords = {
  name: NAME,
  slug: {
    missing: "Enter a slug, such as docs.",
    otherwise: "Use lower-case letters, digits and hyphens. Begin and end with a letter or digit.",
    rules: {
      taken: "Another project has this slug. Choose another.",
      reserved: "This slug is reserved. Choose another.",
    },
  },
  plan: { missing: "Choose a plan." },
};

export const PlanField = (field: { name: string; value: Plan; onValue: (plan: Plan) => void }) => (
  <SelectField
    label="Plan"
    hint="Custom domains need Pro or above."
    options={Object.entries(PLAN_NAMES)}
    {...field}
  />
);

const EMPTY: { name: string; slug?: string; plan: Plan } = { name: "", plan: "free" };

/** The dialog that creates a project and then opens it. */
export const NewProject = () => {
  const queries = useQueryClient();
  const { draft, bind } = useDraft(EMPTY);
  const { name, slug = slugOf(name), plan } = draft;
  const creating = useAction({
    // The body is passed in: Enter may come before the last change is rendered.
    act: (body: ProjectBody) => dataOf(platform.POST("/platform/projects", { body })),
    changes: [KEYS.list],
    onDone: (project) => queries.setQueryData(KEYS.one(project.slug), project),
    at: (project) => projectPath(project.slug, "deploys"),
    says: (project) => `Project “${project.name}” created`,
  });
  return (
    <Dialog title="Create project" back={projectsPath} isDirty={name !== "" || Boolean(draft.slug)}>
      <DialogForm
        action={creating}
        words={PROBLEMS}
        label="Create project"
        onSubmit={() => creating.run({ slug, name, plan })}
      >
        <TextField label="Name" hint="A name that people recognize." {...bind("name")} />
        <TextField
          label="Slug"
          hint="The first part of its address: lower-case letters, digits and hyphens. You can't change it later."
          isCode
          {...bind("slug")}
          value={slug}
        />
        <PlanField {...bind("plan")} />
      </DialogForm>
    </Dialog>
  );
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
export const RollBack = ({ project, chosen }: { project: Project; chosen: string }) => {
  const id = idOf(chosen);
  if (id !== undefined) return <RollBackDialog key={id} project={project} id={id} />;
  return (
    <Dialog title="Make a deploy live" back={projectPath(project.slug, "deploys")}>
      <Problem error="There is no such deploy." />
    </Dialog>
  );
};

/** The dialog that deletes a project after its slug was typed. */
export const DeleteProject = ({ project: { slug, name, address } }: { project: Project }) => {
  const queries = useQueryClient();
  const [typed, setTyped] = useState("");
  const [isWrong, setWrong] = useState(false);
  const back = projectPath(slug, "settings");
  const deleting = useAction({
    act: () => platform.DELETE("/platform/projects/{slug}", { params: { path: { slug } } }),
    changes: [KEYS.list],
    onDone: () => queries.removeQueries({ queryKey: KEYS.one(slug) }),
    at: projectsPath,
    says: () => `Project “${name}” deleted`,
  });
  return (
    <Dialog title="Delete project" back={back}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          const isMeant = typed.trim() === slug;
          setWrong(!isMeant);
          if (isMeant) deleting.run();
          else event.currentTarget.querySelector("input")?.focus();
        }}
      >
        {deleting.error && <Problem error={deleting.error} />}
        <About name={name}>
          and all its deploys and custom domains will be deleted permanently. Its site at{" "}
          {shownAddress(address)} disappears at once. This can't be undone.
        </About>
        <TextField
          label={`Type ${slug} to confirm`}
          name="slug"
          field=""
          error={isWrong ? `This is not the slug. Type ${slug}.` : undefined}
          isCode
          value={typed}
          onValue={setTyped}
        />
        <DialogButtons label="Delete project" isBusy={deleting.isPending} isDangerous />
      </form>
    </Dialog>
  );
};
