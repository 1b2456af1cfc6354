import { useQueryClient } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { dataOf, platform } from "../api/client.ts";
import { shownName } from "../domains/model.ts";
import { useDomains } from "../domains/queries.ts";
import { CopyButton } from "../parts/copy.tsx";
import { Notice, Problem } from "../parts/feedback.tsx";
import { Field, Form } from "../parts/form.tsx";
import { useAction } from "../parts/action.tsx";
import { useDraftGuard } from "../parts/dialog.tsx";
import { useSession } from "../session.tsx";
import { projectPath } from "./addresses.ts";
import { DeleteProject, PlanField } from "./dialogs.tsx";
import { type Plan, type Project, type ProjectChange, hasDomains } from "./model.ts";
import { KEYS } from "./queries.ts";
import { FIELDS, PROBLEMS, PROJECT } from "./words.ts";

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
        <label>
          <input
            type="checkbox"
            checked={isConfirmed}
            onChange={(event) => setConfirmed(event.currentTarget.checked)}
          />
          {names.length === 1 ? "Stop serving this domain" : `Stop serving these ${names.length} domains`}
        </label>
      </>
    )}
  </Notice>
);

/** The facts that cannot be changed. */
const Facts = ({ project: { slug, target } }: { project: Project }) => (
  <dl class="facts">
    <dt>{FIELDS.slug}</dt>
    <dd>{slug}</dd>
    <dt>CNAME target</dt>
    <dd>
      <code>{target}</code> <CopyButton text={target} what="the CNAME target" />
    </dd>
  </dl>
);

const ChangeForm = ({ project }: { project: Project }) => {
  const queries = useQueryClient();
  const { slug } = project;
  // Undefined until typed, so that another user's changes are shown.
  const [typed, setTyped] = useState<ProjectChange>({});
  const { name = project.name, plan = project.plan } = typed;
  const save = async (body: ProjectChange) => {
    const changed = await dataOf(
      platform.PATCH("/platform/projects/{slug}", { params: { path: { slug } }, body }),
    );
    queries.setQueryData(KEYS.one(slug), changed);
  };
  const before = { name: project.name, plan: project.plan };
  const isDirty = name !== before.name || plan !== before.plan;
  const saving = useAction({
    act: save,
    isUnchanged: () => !isDirty,
    // A change of plan restores or suspends its domains.
    changes: [KEYS.one(slug), KEYS.list],
    onDone: () => setTyped({}),
    says: () => "Settings saved",
    undo: () => save(before),
  });
  useDraftGuard(isDirty);
  const losesDomains = hasDomains(project.plan) && !hasDomains(plan);
  const lost = useLostDomains(slug);
  const maySave = isDirty && (!losesDomains || lost.maySave);
  const choosePlan = (plan: Plan) => {
    lost.setConfirmed(false);
    setTyped({ ...typed, plan });
  };
  return (
    <Form error={saving.error} words={PROBLEMS} onSubmit={() => (maySave || !isDirty) && saving.run(typed)}>
      <Field label={FIELDS.name} name="name">
        {(tied) => (
          <input
            {...tied}
            name="name"
            autocomplete="off"
            value={name}
            onInput={(event) => setTyped({ ...typed, name: event.currentTarget.value })}
          />
        )}
      </Field>
      <PlanField plan={plan} onChoose={choosePlan} />
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
  return (
    <>
      <h2>{PROJECT.settings}</h2>
      {mayChange && <ChangeForm project={project} />}
      <h3>About this project</h3>
      <Facts project={project} />
      {mayChange && (
        <>
          <h3>Delete the project</h3>
          <p>Its site disappears immediately.</p>
          <a class="button danger" href={projectPath(project.slug, "settings", "delete")}>
            Delete project
          </a>
          {isDeleting && <DeleteProject project={project} />}
        </>
      )}
    </>
  );
};
