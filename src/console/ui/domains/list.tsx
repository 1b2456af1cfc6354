import { Badge } from "../parts/feedback.tsx";
import { List } from "../parts/list.tsx";
import { useArrival } from "../parts/page.tsx";
import { useNow } from "../parts/time.tsx";
import { domainPath, projectPath } from "../projects/addresses.ts";
import type { Project } from "../projects/model.ts";
import { useSession } from "../session.tsx";
import { useActions } from "./actions.ts";
import { AddDomain } from "./add.tsx";
import { adviceOf } from "./advice.ts";
import { DomainMenu } from "./menu.tsx";
import { type Domain, shownName } from "./model.ts";
import { Prerequisites, isReady } from "./prerequisites.tsx";
import { STATUS_TONES, statusOf } from "./progress.ts";
import { useDomains } from "./queries.ts";
import { primaryOf } from "./redirects.ts";
import { CHECK, LIST, STATUS, roleLabel } from "./words.ts";

/** How a domain stands. */
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

/** The custom domains of a project. */
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
          {LIST.title}
        </h2>
        <div class="actions">
          <a href={projectPath(slug, "domains", "check")}>{CHECK.title}</a>
          {mayAdd && (
            <a class="button" href={projectPath(slug, "domains", "new")}>
              {LIST.add}
            </a>
          )}
        </div>
      </header>
      <Prerequisites project={project} />
      <List found={found} items={found.data ?? []} thing="domain" purpose={LIST.purpose}>
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
