import { Badge, Notice } from "../parts/feedback.tsx";
import { List } from "../parts/table.tsx";
import { useArrival } from "../parts/page.tsx";
import { useNow } from "../parts/time.tsx";
import { PLAN_NAMES, type Project, domainPath, hasDomains, projectPath } from "../projects/model.ts";
import { useSession } from "../session.tsx";
import { adviceOf } from "./advice.ts";
import { AddDomain } from "./dialogs.tsx";
import { DomainMenu, useActions } from "./menu.tsx";
import { type Domain, primaryOf, shownName } from "./model.ts";
import { STATUS_TONES, statusOf } from "./progress.ts";
import { useDomains } from "./queries.ts";
import { STATUS, roleLabel } from "./words.ts";

const isReady = ({ plan, activeDeploy }: Project): boolean => hasDomains(plan) && activeDeploy !== undefined;

/** The requirements that a project does not meet yet for active domains. */
export const Prerequisites = ({ project: { slug, plan, activeDeploy } }: { project: Project }) => (
  <>
    {!hasDomains(plan) && (
      <Notice tone="waiting">
        <p>
          Custom domains need the Pro plan or above. This project is on {PLAN_NAMES[plan]}.{" "}
          <a href={projectPath(slug, "settings")}>Change the plan</a>
        </p>
      </Notice>
    )}
    {activeDeploy === undefined && (
      <Notice tone="waiting">
        <p>
          A domain needs a site to show. This project has no successful deploy yet.{" "}
          <a href={projectPath(slug, "deploys")}>Go to deploys</a>
        </p>
      </Notice>
    )}
  </>
);

export const StatusBadge = ({ domain }: { domain: Domain }) => {
  const status = statusOf(domain, useNow());
  return <Badge tone={STATUS_TONES[status]}>{STATUS[status]}</Badge>;
};

const Row = ({ slug, domain, primary }: { slug: string; domain: Domain; primary: string | undefined }) => {
  const [advice] = adviceOf(domain, useNow());
  return (
    <li>
      <div class="name">
        <a href={domainPath(slug, domain.hostname)}>
          <bdi>{shownName(domain)}</bdi>
        </a>
        <small>{roleLabel(domain)}</small>
        {advice && <small>{advice.title}</small>}
      </div>
      <StatusBadge domain={domain} />
      <DomainMenu
        slug={slug}
        domain={domain}
        primary={primary}
        actions={useActions(slug, domain.hostname, primary)}
        withVerify
      />
    </li>
  );
};

export const DomainList = ({ project, isAdding }: { project: Project; isAdding: boolean }) => {
  const { slug } = project;
  const found = useDomains(slug);
  const heading = useArrival();
  const mayAdd = useSession().can("platform:write") && isReady(project);
  const primary = primaryOf(found.data ?? []);
  return (
    <>
      <header class="part">
        <h2 ref={heading} tabIndex={-1}>
          Domains
        </h2>
        <div class="actions">
          <a href={projectPath(slug, "domains", "check")}>Check a domain</a>
          {mayAdd && (
            <a class="button" href={projectPath(slug, "domains", "new")}>
              Add domain
            </a>
          )}
        </div>
      </header>
      <Prerequisites project={project} />
      <List
        found={found}
        items={found.data ?? []}
        thing="domain"
        purpose="Publish the site under your own domain too. You need access to the domain's DNS settings."
      >
        {(domains) => (
          <ul class="domains">
            {domains.map((domain) => (
              <Row key={domain.hostname} slug={slug} domain={domain} primary={primary} />
            ))}
          </ul>
        )}
      </List>
      {isAdding && mayAdd && <AddDomain slug={slug} domains={found.data ?? []} />}
    </>
  );
};
