import { useQueryClient } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { dataOf, platform } from "../api/client.ts";
import { Dialog } from "../parts/dialog.tsx";
import { DialogButtons } from "../parts/dialog-buttons.tsx";
import { Field } from "../parts/field.tsx";
import { Form } from "../parts/form.tsx";
import { useAction } from "../parts/use-action.ts";
import { projectPath, projectsPath } from "./addresses.ts";
import type { NewProject as Body } from "./model.ts";
import { PlanField } from "./plan-field.tsx";
import type { Plan } from "./plans.ts";
import { KEYS } from "./queries.ts";
import { slugOf } from "./slug.ts";
import { FIELDS, NEW, PROBLEMS } from "./words.ts";

/** The dialog that creates a project and then opens it. */
export const NewProject = () => {
  const queries = useQueryClient();
  const [name, setName] = useState("");
  const [typedSlug, setSlug] = useState<string>();
  const [plan, setPlan] = useState<Plan>("free");
  const slug = typedSlug ?? slugOf(name);
  const creating = useAction({
    // The body is passed in: Enter may come before the last change is rendered.
    act: (body: Body) => dataOf(platform.POST("/platform/projects", { body })),
    changes: [KEYS.list],
    onDone: (project) => queries.setQueryData(KEYS.one(project.slug), project),
    at: (project) => projectPath(project.slug, "deploys"),
    says: (project) => NEW.created(project.name),
  });
  return (
    <Dialog title={NEW.title} back={projectsPath} isDirty={name !== "" || Boolean(typedSlug)}>
      <Form error={creating.error} words={PROBLEMS} onSubmit={() => creating.run({ slug, name, plan })}>
        <Field label={FIELDS.name} name="name" hint={FIELDS.nameHint}>
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
        <Field label={FIELDS.slug} name="slug" hint={FIELDS.slugHint}>
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
        <PlanField plan={plan} onChoose={setPlan} />
        <DialogButtons back={projectsPath} label={NEW.save} isBusy={creating.isPending} />
      </Form>
    </Dialog>
  );
};
