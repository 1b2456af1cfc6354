import { useQueryClient } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { dataOf, platform } from "../api/client.ts";
import { shownName } from "../domains/model.ts";
import { useDomains } from "../domains/queries.ts";
import { CopyButton } from "../parts/copy.tsx";
import { Facts, Notice, Problem } from "../parts/feedback.tsx";
import { Check, Form, TextField, useDraft } from "../parts/form.tsx";
import { useAction } from "../parts/action.tsx";
import { useDraftGuard } from "../parts/dialog.tsx";
import { useSession } from "../session.tsx";
import { DeleteProject, PROBLEMS, PlanField } from "./dialogs.tsx";
import { type Plan, type Project, type ProjectChange, hasDomains, projectPath } from "./model.ts";
import { KEYS } from "./queries.ts";

/** The live domains that stop with a plan without custom domains, and whether the user confirmed that. */
const useLostDomains = (slug: string) => {
  const { data, error, refetch } = useDomains(slug);
  const [isConfirmed, setConfirmed] = useState(false);
  const names = data?.filter(({ stage }) => stage === "live").map(shownName);
  return {
    names,
    error,
    refetch,
    isConfirmed,
    setConfirmed,
    /** False while the domains load. */
    maySave: isConfirmed || names?.length === 0,
  };
};

const LostDomains = ({
  names = [],
  error,
  refetch,
  isConfirmed,
  setConfirmed,
}: ReturnType<typeof useLostDomains>) => (
  <Notice tone={names.length > 0 ? "bad" : "waiting"}>
    {error && <Problem error={error} onRetry={refetch} />}
    <p>Without Pro, the project's custom domains are suspended: visitors are no longer served there.</p>
    {names.length > 0 && (
      <>
        <p>
          {names.length === 1
            ? "This domain stops immediately:"
            : `These ${names.length} domains stop immediately:`}
        </p>
        <ul>
          {names.map((name) => (
            <li key={name}>
              <bdi>{name}</bdi>
            </li>
          ))}
        </ul>
        <Check isChecked={isConfirmed} onCheck={setConfirmed}>
          {names.length === 1 ? "Stop serving this domain" : `Stop serving these ${names.length} domains`}
        </Check>
      </>
    )}
  </Notice>
);

const ChangeForm = ({ project }: { project: Project }) => {
  const queries = useQueryClient();
  const { slug } = project;
  const before = { name: project.name, plan: project.plan };
  const { draft, typed, change, bind, reset, isDirty } = useDraft(before);
  const save = async (body: ProjectChange) => {
    const changed = await dataOf(
      platform.PATCH("/platform/projects/{slug}", { params: { path: { slug } }, body }),
    );
    queries.setQueryData(KEYS.one(slug), changed);
  };
  const saving = useAction({
    act: save,
    isUnchanged: () => !isDirty,
    // A change of plan restores or suspends its domains.
    changes: [KEYS.one(slug), KEYS.list],
    onDone: reset,
    says: () => "Settings saved",
    undo: () => save(before),
  });
  useDraftGuard(isDirty);
  const losesDomains = hasDomains(project.plan) && !hasDomains(draft.plan);
  const lost = useLostDomains(slug);
  const maySave = isDirty && (!losesDomains || lost.maySave);
  const choosePlan = (plan: Plan) => {
    lost.setConfirmed(false);
    change({ plan });
  };
  return (
    <Form error={saving.error} words={PROBLEMS} onSubmit={() => (maySave || !isDirty) && saving.run(typed)}>
      <TextField label="Name" {...bind("name")} />
      <PlanField {...bind("plan")} onValue={choosePlan} />
      {losesDomains && <LostDomains {...lost} />}
      <button type="submit" aria-busy={saving.isPending} aria-disabled={saving.isPending || !maySave}>
        Save
      </button>
    </Form>
  );
};

/** A project's name and plan, its facts, and its deletion. */
export const Settings = ({ project, isDeleting }: { project: Project; isDeleting: boolean }) => {
  const mayChange = useSession().can("platform:write");
  const { slug, target } = project;
  const cname = (
    <>
      <code>{target}</code> <CopyButton text={target} what="the CNAME target" />
    </>
  );
  return (
    <>
      <h2>Settings</h2>
      {mayChange && <ChangeForm project={project} />}
      <h3>About this project</h3>
      <Facts
        facts={[
          ["Slug", slug],
          ["CNAME target", cname],
        ]}
      />
      {mayChange && (
        <>
          <h3>Delete the project</h3>
          <p>Its site disappears immediately.</p>
          <a class="button danger" href={projectPath(slug, "settings", "delete")}>
            Delete project
          </a>
          {isDeleting && <DeleteProject project={project} />}
        </>
      )}
    </>
  );
};
