import { Badge, Empty, Loading, Problem } from "../parts/feedback.tsx";
import { useArrival } from "../parts/page.tsx";
import { domainPath, projectPath } from "../projects/addresses.ts";
import type { Project } from "../projects/queries.ts";
import { useSession } from "../session.tsx";
import { useActions } from "./actions.ts";
import { AddDomain } from "./add.tsx";
import { DomainMenu } from "./menu.tsx";
import { type Domain, shownName } from "./model.ts";
import { Prerequisites, isReady } from "./prerequisites.tsx";
import { useDomains } from "./queries.ts";
import { roleLabel } from "./redirects.ts";
import { STAGES } from "./stages.ts";

const Row = ({ slug, domain, primary }: { slug: string; domain: Domain; primary: string | undefined }) => {
  const actions = useActions(slug, domain.hostname);
  const { words, tone } = STAGES[domain.stage];
  return (
    <li>
      <div class="name">
        <a href={domainPath(slug, domain.hostname)}>
          <bdi>{shownName(domain)}</bdi>
        </a>
        <small>{roleLabel(domain)}</small>
      </div>
      <Badge tone={tone}>{words}</Badge>
      <DomainMenu slug={slug} domain={domain} primary={primary} actions={actions} withVerify />
      {actions.error && <Problem error={actions.error} />}
      <span class="visually-hidden" role="status">
        {actions.outcome(domain.stage)}
      </span>
    </li>
  );
};

/** The custom domains of a project. */
export const DomainList = ({ project, isAdding }: { project: Project; isAdding: boolean }) => {
  const { slug } = project;
  const { data: domains, error, isPending, refetch } = useDomains(slug);
  const heading = useArrival();
  const mayAdd = useSession().can("platform:write") && isReady(project);
  const primary = domains?.find(({ role }) => role === "primary")?.hostname;
  return (
    <>
      <header class="part">
        <h2 ref={heading} tabIndex={-1}>
          Domains
        </h2>
        {mayAdd && (
          <a class="button" href={projectPath(slug, "domains", "new")}>
            Add domain
          </a>
        )}
      </header>
      <Prerequisites project={project} />
      {error && <Problem error={error} onRetry={refetch} />}
      {isPending && <Loading what="Loading domains" />}
      {domains?.length === 0 && (
        <Empty title="No domains yet">
          <p>
            The site is published under its own address. With a domain of yours, visitors find it there: you
            need access to the domain's DNS settings at its provider.
          </p>
        </Empty>
      )}
      {domains && domains.length > 0 && (
        <ul class="domains">
          {domains.map((domain) => (
            <Row key={domain.hostname} slug={slug} domain={domain} primary={primary} />
          ))}
        </ul>
      )}
      {isAdding && mayAdd && <AddDomain slug={slug} />}
    </>
  );
};
