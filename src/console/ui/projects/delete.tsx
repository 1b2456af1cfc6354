import { useMutation, useQueryClient } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { platform } from "../api/client.ts";
import { Dialog } from "../parts/dialog.tsx";
import { DialogButtons } from "../parts/dialog-buttons.tsx";
import { useFinish } from "../parts/finish.ts";
import { Problem } from "../parts/feedback.tsx";
import { Field } from "../parts/field.tsx";
import { projectPath, projectsPath, shownAddress } from "./addresses.ts";
import { KEYS, type Project } from "./queries.ts";

/** The dialog that deletes a project after its slug was typed. */
export const DeleteProject = ({ project: { slug, name, address } }: { project: Project }) => {
  const queries = useQueryClient();
  const done = useFinish();
  const [typed, setTyped] = useState("");
  const [isWrong, setWrong] = useState(false);
  const back = projectPath(slug, "settings");
  const deleting = useMutation({
    mutationFn: () => platform.DELETE("/platform/projects/{slug}", { params: { path: { slug } } }),
    onSuccess() {
      queries.removeQueries({ queryKey: KEYS.one(slug) });
      void queries.invalidateQueries({ queryKey: KEYS.list });
    },
  });
  return (
    <Dialog title="Delete project" back={back}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          const isMeant = typed.trim() === slug;
          setWrong(!isMeant);
          if (isMeant)
            deleting.mutate(undefined, {
              onSuccess: () => done(projectsPath, `The project “${name}” was deleted.`),
            });
        }}
      >
        {deleting.error && <Problem error={deleting.error} />}
        <p>
          <bdi>{name}</bdi>, all its deploys and its custom domains are deleted. Its site at{" "}
          {shownAddress(address)} is gone at once, and nothing brings it back.
        </p>
        <Field
          label={`To confirm, type its slug, ${slug}`}
          error={isWrong ? `This is not the slug. Type ${slug}.` : undefined}
        >
          {(tied) => (
            <input
              {...tied}
              name="slug"
              autocomplete="off"
              autocapitalize="none"
              spellcheck={false}
              value={typed}
              onInput={(event) => setTyped(event.currentTarget.value)}
            />
          )}
        </Field>
        <DialogButtons back={back} label="Delete project" isBusy={deleting.isPending} isDangerous />
      </form>
    </Dialog>
  );
};
