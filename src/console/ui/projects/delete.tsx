import { useQueryClient } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { platform } from "../api/client.ts";
import { Dialog } from "../parts/dialog.tsx";
import { DialogButtons } from "../parts/dialog-buttons.tsx";
import { Problem } from "../parts/feedback.tsx";
import { Field } from "../parts/field.tsx";
import { useAction } from "../parts/use-action.ts";
import { projectPath, projectsPath, shownAddress } from "./addresses.ts";
import { KEYS, type Project } from "./queries.ts";
import { DELETE } from "./words.ts";

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
    says: () => DELETE.deleted(name),
  });
  return (
    <Dialog title={DELETE.title} back={back}>
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
        <p>
          <strong>
            <bdi>{name}</bdi>
          </strong>{" "}
          {DELETE.text} {DELETE.site(shownAddress(address))}
        </p>
        <Field label={DELETE.confirm(slug)} error={isWrong ? DELETE.isWrong(slug) : undefined}>
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
        <DialogButtons back={back} label={DELETE.button} isBusy={deleting.isPending} isDangerous />
      </form>
    </Dialog>
  );
};
