import { Empty } from "../parts/feedback.tsx";
import { Select } from "../parts/form.tsx";
import { Page } from "../parts/page.tsx";
import { useLocation, useRoute } from "../parts/navigation.ts";
import { SearchField } from "../parts/search-field.tsx";
import { type Column, List } from "../parts/table.tsx";
import { useNow } from "../parts/time.tsx";
import { domainPath, projectPath } from "../projects/model.ts";
import { useSession } from "../session.tsx";
import { ADD_DOMAINS, AddDomains } from "./dialogs.tsx";
import { StatusBadge } from "./list.tsx";
import { type Domain, shownName } from "./model.ts";
import { type Filter, STAGES, allDomainsPath, filterOf, nextStep } from "./overview.ts";
import { statusOf } from "./progress.ts";
import { useAllDomains } from "./queries.ts";

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
      <a href={domainPath(domain.project, domain.hostname)}>
        <bdi>{shownName(domain)}</bdi>
      </a>
    ),
  },
  { name: "Project", cell: ({ project }) => <a href={projectPath(project, "domains")}>{project}</a> },
  { name: "Stage", kind: "group", cell: (domain) => <StageCell domain={domain} /> },
  { name: "What to do", kind: "group", cell: (domain) => <NextStep domain={domain} /> },
];

/** The custom domains of all projects, problems first. */
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
