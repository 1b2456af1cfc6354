import { useRoute } from "../parts/navigation.ts";
import type { ComponentChildren } from "preact";
import { isGone } from "../api/client.ts";
import { History } from "../audit/entries.tsx";
import { CheckDomain } from "../domains/check.tsx";
import { DomainPage } from "../domains/domain.tsx";
import { DomainList } from "../domains/list.tsx";
import { Badge, One } from "../parts/feedback.tsx";
import { Page } from "../parts/page.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { Deploys } from "./deploys.tsx";
import { PLAN_NAMES, type Project as Shown, projectPath, projectsPath, shownAddress } from "./model.ts";
import { useProject } from "./queries.ts";
import { Settings } from "./settings.tsx";

const AREAS: Readonly<Record<string, string>> = {
  deploys: "Deploys",
  settings: "Settings",
  domains: "Domains",
  history: "History",
};

const Summary = ({ project: { slug, plan, address, activeDeploy } }: { project: Shown }) => (
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

const contentOf = (area: string, project: Shown, item?: string, part?: string): ComponentChildren => {
  switch (area) {
    case "deploys":
      return <Deploys project={project} chosen={part === "activate" ? item : undefined} />;
    case "settings":
      return <Settings key={project.slug} project={project} isDeleting={item === "delete"} />;
    case "domains":
      if (item === "check") return <CheckDomain project={project} />;
      return item === undefined || item === "new" ? (
        <DomainList project={project} isAdding={item === "new"} />
      ) : (
        <DomainPage key={item} project={project} hostname={item} isRemoving={part === "remove"} />
      );
    case "history":
      return <History resource="project" id={project.slug} />;
    default:
      return <p>There is no page at this address.</p>;
  }
};

export const Project = () => {
  const { slug = "", area = "deploys", item, part } = useRoute().params;
  const found = useProject(slug);
  const { data: project } = found;
  const place = Object.hasOwn(AREAS, area) ? AREAS[area] : undefined;
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
        tabs={Object.entries(AREAS).map(([one, name]) => ({
          href: projectPath(slug, one),
          name,
          isCurrent: one === area,
        }))}
      />
      {contentOf(area, project, item, part)}
    </Page>
  );
};
