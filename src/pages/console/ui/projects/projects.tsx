import { useQueryClient } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { dataOf, isGone, platform } from "../api/client.ts";
import { About, Dialog, DialogButtons, DialogForm, useDraftGuard } from "../parts/dialog.tsx";
import { Badge, CopyButton, Facts, Notice, One, Page, Problem, Tabs } from "../parts/page.tsx";
import { type FormWords, NAME } from "../parts/wording.ts";
import { Check, Form, SelectField, TextField, useDraft } from "../parts/form.tsx";
import { useAction } from "../parts/action.tsx";
import {
  type NewProject,
  PLAN_NAMES,
  type Plan,
  type Project,
  type ProjectChange,
  hasDomains,
  projectPath,
  projectsPath,
  shownAddress,
  slugOf,
} from "./model.ts";
import { KEYS, useProject, useProjects } from "./queries.ts";
import { useLocation, useRoute } from "../parts/navigation.ts";
import { type Column, List } from "../parts/table.tsx";
import { useSession } from "../session.tsx";
import { shownName } from "../domains/model.ts";
import { useDomains } from "../domains/queries.ts";
import { History } from "../audit/activity.tsx";
import { CheckDomain, DomainPage } from "../domains/domain.tsx";
import { DomainList } from "../domains/list.tsx";
import { Deploys } from "./deploys.tsx";

const PROBLEMS: FormWords = {
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

const PlanField = (field: { name: string; value: Plan; onValue: (plan: Plan) => void }) => (
  <SelectField
    label="Plan"
    hint="Custom domains need Pro or above."
    options={Object.entries(PLAN_NAMES)}
    {...field}
  />
);

const EMPTY: { name: string; slug?: string; plan: Plan } = { name: "", plan: "free" };

const CreateProject = () => {
  const queries = useQueryClient();
  const { draft, bind } = useDraft(EMPTY);
  const { name, slug = slugOf(name), plan } = draft;
  const creating = useAction({
    // The body is passed in: Enter may come before the last change is rendered.
    act: (body: NewProject) => dataOf(platform.POST("/platform/projects", { body })),
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

const DeleteProject = ({ project: { slug, name, address } }: { project: Project }) => {
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

const ADD = { href: `${projectsPath}/new`, label: "Create project" };

const COLUMNS: readonly Column<Project>[] = [
  {
    name: "Name",
    cell: ({ slug, name }) => (
      <a href={projectPath(slug, "deploys")}>
        <bdi>{name}</bdi>
      </a>
    ),
  },
  { name: "Slug", cell: ({ slug }) => slug },
  { name: "Plan", cell: ({ plan }) => PLAN_NAMES[plan] },
  {
    name: "Address",
    cell: ({ address, activeDeploy }) =>
      activeDeploy ? <a href={address}>{shownAddress(address)}</a> : "Nothing deployed yet",
  },
];

export const Projects = () => {
  const { path } = useLocation();
  const mayChange = useSession().can("platform:write");
  const isNew = path === ADD.href && mayChange;
  return (
    <Page title="Projects" part={isNew ? ADD.label : undefined} add={mayChange && ADD}>
      <List
        found={useProjects()}
        thing="project"
        purpose="A project publishes a site. Create one, then upload its files."
        table={{
          label: "List of projects",
          kind: "projects",
          stackBelow: 44,
          columns: COLUMNS,
          keyOf: ({ slug }) => slug,
        }}
      />
      {isNew && <CreateProject />}
    </Page>
  );
};

interface LostProps {
  /** The live domains that stop with a plan without custom domains. */
  names: readonly string[];
  found: ReturnType<typeof useDomains>;
  isConfirmed: boolean;
  onConfirm: (isConfirmed: boolean) => void;
}

const LostDomains = ({ names, found: { error, refetch }, isConfirmed, onConfirm }: LostProps) => (
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
        <Check isChecked={isConfirmed} onCheck={onConfirm}>
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
  const found = useDomains(slug);
  const names = found.data?.filter(({ stage }) => stage === "live").map(shownName);
  const [isConfirmed, setConfirmed] = useState(false);
  // Not while the domains load.
  const maySave = isDirty && (!losesDomains || isConfirmed || names?.length === 0);
  const choosePlan = (plan: Plan) => {
    setConfirmed(false);
    change({ plan });
  };
  return (
    <Form error={saving.error} words={PROBLEMS} onSubmit={() => (maySave || !isDirty) && saving.run(typed)}>
      <TextField label="Name" {...bind("name")} />
      <PlanField {...bind("plan")} onValue={choosePlan} />
      {losesDomains && (
        <LostDomains names={names ?? []} found={found} isConfirmed={isConfirmed} onConfirm={setConfirmed} />
      )}
      <button type="submit" aria-busy={saving.isPending} aria-disabled={saving.isPending || !maySave}>
        Save
      </button>
    </Form>
  );
};

const Settings = ({ project, isDeleting }: { project: Project; isDeleting: boolean }) => {
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

const Summary = ({ project: { slug, plan, address, activeDeploy } }: { project: Project }) => (
  <p class="summary">
    <Badge tone="quiet">{PLAN_NAMES[plan]}</Badge>{" "}
    {activeDeploy === undefined ? (
      `${shownAddress(address)}: nothing deployed yet`
    ) : (
      <a href={address} aria-label={`The site of ${slug}: ${shownAddress(address)}`}>
        {shownAddress(address)}
      </a>
    )}
  </p>
);

interface Area {
  name: string;
  /** @param item of the area, by the address, and its part */
  show: (project: Project, item?: string, part?: string) => ComponentChildren;
}

const AREAS: Readonly<Record<string, Area>> = {
  deploys: {
    name: "Deploys",
    show: (project, item, part) => (
      <Deploys project={project} chosen={part === "activate" ? item : undefined} />
    ),
  },
  settings: {
    name: "Settings",
    show: (project, item) => <Settings key={project.slug} project={project} isDeleting={item === "delete"} />,
  },
  domains: {
    name: "Domains",
    show(project, item, part) {
      if (item === "check") return <CheckDomain project={project} />;
      if (item === undefined || item === "new")
        return <DomainList project={project} isAdding={item === "new"} />;
      return <DomainPage key={item} project={project} hostname={item} isRemoving={part === "remove"} />;
    },
  },
  history: { name: "History", show: ({ slug }) => <History resource="project" id={slug} /> },
};

export const ProjectPage = () => {
  const { slug = "", area = "deploys", item, part } = useRoute().params;
  const found = useProject(slug);
  const { data: project } = found;
  const current = Object.hasOwn(AREAS, area) ? AREAS[area] : undefined;
  const place = current?.name;
  const shown = item?.includes(".") ? `${item} – ${place}` : place;
  if (!project)
    return (
      <Page title={slug} part={place}>
        <One found={found} what="the project">
          {() => null}
        </One>
        {isGone(found.error) && <a href={projectsPath}>← Back to projects</a>}
      </Page>
    );
  return (
    <Page title={project.name} part={shown}>
      <Summary project={project} />
      <Tabs
        label="Parts of the project"
        tabs={Object.entries(AREAS).map(([one, { name }]) => ({
          href: projectPath(slug, one),
          name,
          isCurrent: one === area,
        }))}
      />
      {current ? current.show(project, item, part) : <p>There is no page at this address.</p>}
    </Page>
  );
};
