import { useMutation, useQueryClient } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { dataOf, hasCode, platform } from "../api/client.ts";
import { Dialog } from "../parts/dialog.tsx";
import { DialogButtons } from "../parts/dialog-buttons.tsx";
import { useFinish } from "../parts/finish.ts";
import { Problem } from "../parts/feedback.tsx";
import { Field, fieldError, generalError } from "../parts/field.tsx";
import { projectPath, projectsPath } from "./addresses.ts";
import { PlanField } from "./plan-field.tsx";
import type { components } from "../../../client/types/platform.d.ts";
import type { Plan } from "./plans.ts";
import { KEYS } from "./queries.ts";
import { slugOf } from "./slug.ts";

type NewOne = components["schemas"]["NewProject"];

/** The dialog that creates a project and then opens it. */
export const NewProject = () => {
  const queries = useQueryClient();
  const done = useFinish();
  const [name, setName] = useState("");
  const [typedSlug, setSlug] = useState<string>();
  const [plan, setPlan] = useState<Plan>("free");
  const slug = typedSlug ?? slugOf(name);
  const creating = useMutation({
    // The body is passed in: Enter may come before the last change is rendered.
    mutationFn: (body: NewOne) => dataOf(platform.POST("/platform/projects", { body })),
    onSuccess(project) {
      void queries.invalidateQueries({ queryKey: KEYS.list });
      queries.setQueryData(KEYS.one(project.slug), project);
    },
  });
  const { error } = creating;
  const isTaken = hasCode(error, "slug_taken");
  const general = isTaken ? undefined : generalError(error, ["slug", "name", "plan"]);
  return (
    <Dialog title="New project" back={projectsPath}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          creating.mutate(
            { slug, name, plan },
            {
              onSuccess: (project) =>
                done(projectPath(project.slug, "deploys"), `The project “${project.name}” was created.`),
            },
          );
        }}
      >
        {general && <Problem error={general} />}
        <Field label="Name" hint="A name for people." error={fieldError(error, "name")}>
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
        <Field
          label="Slug"
          hint="The first part of its address: lower-case letters, digits and hyphens. You cannot change it later."
          error={isTaken ? error?.message : fieldError(error, "slug")}
        >
          {(tied) => (
            <input
              {...tied}
              name="slug"
              autocomplete="off"
              autocapitalize="none"
              spellcheck={false}
              value={slug}
              onInput={(event) => setSlug(event.currentTarget.value)}
            />
          )}
        </Field>
        <PlanField plan={plan} onChoose={setPlan} error={fieldError(error, "plan")} />
        <DialogButtons back={projectsPath} label="Create project" isBusy={creating.isPending} />
      </form>
    </Dialog>
  );
};
