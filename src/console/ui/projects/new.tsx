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
import type { components } from "../api/platform.d.ts";
import type { Plan } from "./plans.ts";
import { KEYS } from "./queries.ts";
import { slugOf } from "./slug.ts";

type NewOne = components["schemas"]["NewProject"];

/** Makes a project, and leads to it. */
export const NewProject = () => {
  const queries = useQueryClient();
  const done = useFinish();
  const [name, setName] = useState("");
  const [typedSlug, setSlug] = useState<string>();
  const [plan, setPlan] = useState<Plan>("free");
  const slug = typedSlug ?? slugOf(name);
  const making = useMutation({
    // Given what to make: an Enter may come before the page has drawn what was typed.
    mutationFn: (body: NewOne) => dataOf(platform.POST("/platform/projects", { body })),
    onSuccess(project) {
      void queries.invalidateQueries({ queryKey: KEYS.list });
      queries.setQueryData(KEYS.one(project.slug), project);
    },
  });
  const { error } = making;
  const isTaken = hasCode(error, "slug_taken");
  const general = isTaken ? undefined : generalError(error, ["slug", "name", "plan"]);
  return (
    <Dialog title="New project" back={projectsPath}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          making.mutate(
            { slug, name, plan },
            {
              onSuccess: (project) =>
                done(projectPath(project.slug, "deploys"), `The project “${project.name}” was made.`),
            },
          );
        }}
      >
        {general && <Problem error={general} />}
        <Field label="Name" hint="What people call it." error={fieldError(error, "name")}>
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
          hint="The first part of its address: small letters, digits and hyphens. It cannot be changed later."
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
        <DialogButtons back={projectsPath} word="Create project" isBusy={making.isPending} />
      </form>
    </Dialog>
  );
};
