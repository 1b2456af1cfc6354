import { useMutation, useQueryClient } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { dataOf, isRefusedAs, platform } from "../api/client.ts";
import { Dialog } from "../parts/dialog.tsx";
import { DialogButtons } from "../parts/dialog-buttons.tsx";
import { useDone } from "../parts/done.ts";
import { Problem } from "../parts/feedback.tsx";
import { Field, refusalOfField, refusalOfNone } from "../parts/field.tsx";
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
  const done = useDone();
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
  const isTaken = isRefusedAs(error, "slug_taken");
  const general = isTaken ? undefined : refusalOfNone(error, ["slug", "name", "plan"]);
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
        <Field label="Name" hint="What people call it." error={refusalOfField(error, "name")}>
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
          error={isTaken ? error?.message : refusalOfField(error, "slug")}
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
        <PlanField plan={plan} choose={setPlan} error={refusalOfField(error, "plan")} />
        <DialogButtons back={projectsPath} word="Create project" isBusy={making.isPending} />
      </form>
    </Dialog>
  );
};
