import { useMutation, useQueryClient } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { dataOf, platform } from "../api/client.ts";
import type { components } from "../../../client/types/platform.d.ts";
import { CopyButton } from "../parts/copy.tsx";
import { Notice, Problem } from "../parts/feedback.tsx";
import { Field, fieldError, generalError } from "../parts/field.tsx";
import { useSession } from "../session.tsx";
import { projectPath } from "./addresses.ts";
import { DeleteProject } from "./delete.tsx";
import { PlanField } from "./plan-field.tsx";
import { hasDomains } from "./plans.ts";
import { KEYS, type Project } from "./queries.ts";

/** The facts that cannot be changed. */
const Facts = ({ project: { slug, address, target } }: { project: Project }) => (
  <dl class="facts">
    <dt>Slug</dt>
    <dd>{slug}</dd>
    <dt>Address</dt>
    <dd>{address}</dd>
    <dt>CNAME target</dt>
    <dd>
      <code>{target}</code> <CopyButton text={target} what="the CNAME target" />
    </dd>
  </dl>
);

type Change = components["schemas"]["ProjectChange"];

const ChangeForm = ({ project }: { project: Project }) => {
  const queries = useQueryClient();
  const [name, setName] = useState(project.name);
  const [plan, setPlan] = useState(project.plan);
  const { slug } = project;
  const saving = useMutation({
    mutationFn: (body: Change) =>
      dataOf(platform.PATCH("/platform/projects/{slug}", { params: { path: { slug } }, body })),
    async onSuccess(changed) {
      setName(changed.name);
      queries.setQueryData(KEYS.one(slug), changed);
      // A change of plan restores or suspends its domains.
      await queries.invalidateQueries({ queryKey: KEYS.one(slug) });
      await queries.invalidateQueries({ queryKey: KEYS.list });
    },
  });
  const general = generalError(saving.error, ["name", "plan"]);
  const isChanged = name !== project.name || plan !== project.plan;
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        saving.mutate({ name, plan });
      }}
    >
      {general && <Problem error={general} />}
      <Field label="Name" error={fieldError(saving.error, "name")}>
        {(tied) => (
          <input
            {...tied}
            name="name"
            autocomplete="off"
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        )}
      </Field>
      <PlanField plan={plan} onChoose={setPlan} error={fieldError(saving.error, "plan")} />
      {hasDomains(project.plan) && !hasDomains(plan) && (
        <Notice tone="waiting">
          <p>Without Pro, the project's custom domains are suspended: visitors are no longer served there.</p>
        </Notice>
      )}
      <div class="saving">
        <button type="submit" aria-busy={saving.isPending} disabled={saving.isPending}>
          Save
        </button>
        <span role="status">{saving.isSuccess && !isChanged ? "Saved." : ""}</span>
      </div>
    </form>
  );
};

/** A project's name and plan, its facts, and its deletion. */
export const Settings = ({ project, isDeleting }: { project: Project; isDeleting: boolean }) => {
  const mayChange = useSession().can("platform:write");
  return (
    <>
      <h2>Settings</h2>
      {mayChange && <ChangeForm project={project} />}
      <h3>About this project</h3>
      <Facts project={project} />
      {mayChange && (
        <>
          <h3>Delete the project</h3>
          <p>This deletes its deploys and domains too. Its site disappears at once.</p>
          <a class="button danger" href={projectPath(project.slug, "settings", "delete")}>
            Delete project
          </a>
          {isDeleting && <DeleteProject project={project} />}
        </>
      )}
    </>
  );
};
