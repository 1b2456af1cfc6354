import { useQueryClient } from "@tanstack/preact-query";
import { dataOf, platform } from "../api/client.ts";
import { useAction } from "../parts/action.tsx";
import { PLAN_NAMES, type Project, domainPath, hasDomains, projectPath } from "../projects/model.ts";
import { useSession } from "../session.tsx";
import { adviceOf } from "./advice.ts";
import {
  type Domain,
  STATUS,
  isWildcard,
  primaryOf,
  roleLabel,
  shownName,
  verifyLabel,
  withRedirect,
} from "./model.ts";
import {
  type Filter,
  STAGES,
  STATUS_TONES,
  allDomainsPath,
  filterOf,
  nextStep,
  statusOf,
} from "./progress.ts";
import { KEYS, at, fetchConfig, putConfig, putPrimary, useAllDomains, useDomains } from "./queries.ts";
import { Badge, Empty, Notice, Page, PartHeading, useNow } from "../parts/page.tsx";
import { Menu } from "../parts/menu.tsx";
import { type Column, List } from "../parts/table.tsx";
import { ADD_DOMAINS, AddDomain, AddDomains } from "./dialogs.tsx";
import { SearchField, Select } from "../parts/form.tsx";
import { useLocation, useRoute } from "../parts/navigation.ts";

/** The result of a check, for people who do not see the page change. */
const outcomeOf = (domain: Domain): string => {
  const now = Date.now();
  const [advice] = adviceOf(domain, now);
  return `Checked: ${STATUS[statusOf(domain, now)]}${advice ? `. ${advice.title}` : ""}`;
};

/** The actions on a domain. @param primary the project's primary domain, if it has one */
export const useActions = ({ project: slug, hostname }: Domain, primary: string | undefined) => {
  const queries = useQueryClient();
  const changes = [KEYS.all(slug)];
  const setRedirect = async (isRedirect: boolean) => {
    // Read again, because another user may have changed it.
    const config = withRedirect(await fetchConfig(slug), hostname, isRedirect);
    if (!config) throw new Error("There is no other primary domain to redirect to. Make one primary first.");
    return putConfig(slug, config);
  };
  return {
    verify: useAction({
      act: () =>
        dataOf(platform.POST("/platform/projects/{slug}/domains/{hostname}/verify", at(slug, hostname))),
      onDone: (domain) => queries.setQueryData(KEYS.one(slug, hostname), domain),
      changes,
      says: outcomeOf,
      isErrorToast: true,
    }),
    makePrimary: useAction({
      async act() {
        const before = await fetchConfig(slug);
        await putPrimary(slug, hostname);
        return before;
      },
      changes,
      says: () => `${hostname} is now the primary domain`,
      ...(primary !== undefined && {
        undo: ({ domains: { redirects } }: Awaited<ReturnType<typeof fetchConfig>>) =>
          putConfig(slug, { domains: { primary, redirects } }),
      }),
      isErrorToast: true,
    }),
    redirect: useAction({
      act: setRedirect,
      changes,
      says: (_, isRedirect) =>
        isRedirect ? `${hostname} now redirects to ${primary ?? ""}` : `${hostname} now shows the site`,
      undo: (_, isRedirect) => setRedirect(!isRedirect),
      isErrorToast: true,
    }),
  };
};

/** The menu of a domain. The keyboard opens it too, and Escape closes it. */
export const DomainMenu = ({
  domain,
  primary,
  actions,
  withVerify = false,
}: {
  domain: Domain;
  /** The project's primary domain. */
  primary: string | undefined;
  actions: ReturnType<typeof useActions>;
  /** For pages without a button for it. */
  withVerify?: boolean;
}) => {
  const { verify, makePrimary, redirect } = actions;
  const { hostname, role, stage } = domain;
  if (!useSession().can("platform:write")) return null;
  // A wildcard always shows the site.
  const hasRoles = !isWildcard(domain);
  const isBusy = [verify, makePrimary, redirect].some(({ isPending }) => isPending);
  const item = (words: string, act: () => void) => (
    <li>
      <button type="button" aria-disabled={isBusy} onClick={() => !isBusy && act()}>
        {words}
      </button>
    </li>
  );
  return (
    <Menu label="Menu" fullLabel={`Menu for ${hostname}`} isBusy={isBusy}>
      {withVerify && stage !== "suspended" && item(verifyLabel(domain), () => verify.run())}
      {role !== "primary" && hasRoles && item("Make primary", () => makePrimary.run())}
      {role === "served" &&
        primary !== undefined &&
        hasRoles &&
        item(`Redirect to ${primary}`, () => redirect.run(true))}
      {role === "redirect" && item("Show the site here", () => redirect.run(false))}
      <li>
        <a href={domainPath(domain, "remove")}>Remove</a>
      </li>
    </Menu>
  );
};

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

const Row = ({ domain, primary }: { domain: Domain; primary: string | undefined }) => {
  const [advice] = adviceOf(domain, useNow());
  return (
    <li>
      <div class="name">
        <a href={domainPath(domain)}>
          <bdi>{shownName(domain)}</bdi>
        </a>
        <small>{roleLabel(domain)}</small>
        {advice && <small>{advice.title}</small>}
      </div>
      <StatusBadge domain={domain} />
      <DomainMenu domain={domain} primary={primary} actions={useActions(domain, primary)} withVerify />
    </li>
  );
};

export const DomainList = ({ project, isAdding }: { project: Project; isAdding: boolean }) => {
  const { slug, plan, activeDeploy } = project;
  const found = useDomains(slug);
  const mayAdd = useSession().can("platform:write") && hasDomains(plan) && activeDeploy !== undefined;
  const primary = primaryOf(found.data ?? []);
  return (
    <>
      <header class="part">
        <PartHeading>Domains</PartHeading>
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
          <ul class="domains bare">
            {domains.map((domain) => (
              <Row key={domain.hostname} domain={domain} primary={primary} />
            ))}
          </ul>
        )}
      </List>
      {isAdding && mayAdd && <AddDomain slug={slug} domains={found.data ?? []} />}
    </>
  );
};

const STAGE_OPTIONS = [["", "Every stage"] as const, ...Object.entries(STAGES)];

/** The search and the filter by stage. The address keeps both. Typing replaces it without a new history entry. */
const FilterForm = ({ filter }: { filter: Filter }) => {
  const { route } = useLocation();
  return (
    <div class="finding filter">
      <SearchField
        label="Search domains"
        q={filter.q ?? ""}
        search={(q) => route(allDomainsPath({ ...filter, q }), true)}
      />
      <Select
        aria-label="Stage"
        value={filter.stage ?? ""}
        options={STAGE_OPTIONS}
        onValue={(stage: string) => route(allDomainsPath({ ...filter, stage }))}
      />
    </div>
  );
};

const StageCell = ({ domain }: { domain: Domain }) => (
  <>
    <StatusBadge domain={domain} />{" "}
    {statusOf(domain, useNow()) !== "active" && <small>{STAGES[domain.stage]}</small>}
  </>
);

const NextStep = ({ domain }: { domain: Domain }) => {
  const { title, details } = nextStep(domain, useNow());
  return (
    <>
      {title} <small>{details}</small>
    </>
  );
};

const COLUMNS: readonly Column<Domain>[] = [
  {
    name: "Domain",
    kind: "row",
    cell: (domain) => (
      <a href={domainPath(domain)}>
        <bdi>{shownName(domain)}</bdi>
      </a>
    ),
  },
  { name: "Project", cell: ({ project }) => <a href={projectPath(project, "domains")}>{project}</a> },
  { name: "Stage", kind: "group", cell: (domain) => <StageCell domain={domain} /> },
  { name: "What to do", kind: "group", cell: (domain) => <NextStep domain={domain} /> },
];

export const AllDomains = () => {
  const filter = filterOf(useLocation().query);
  const { part } = useRoute().params;
  const mayAdd = useSession().can("platform:write");
  const isNarrow = filter.q !== undefined || filter.stage !== undefined;
  return (
    <Page title="Domains" add={mayAdd && { href: allDomainsPath(filter, "add"), label: ADD_DOMAINS }}>
      <FilterForm filter={filter} />
      <List
        found={useAllDomains(filter)}
        thing="domain"
        purpose="The custom domains of all projects appear here, problems first."
        empty={
          isNarrow ? (
            <Empty title="No domain matches">
              <a href={allDomainsPath()}>Show all domains</a>
            </Empty>
          ) : undefined
        }
        table={{
          label: "Domains of all projects",
          stackBelow: 52,
          columns: COLUMNS,
          keyOf: ({ project, hostname }) => `${project} ${hostname}`,
        }}
      />
      {mayAdd && part === "add" && <AddDomains back={allDomainsPath(filter)} />}
    </Page>
  );
};
