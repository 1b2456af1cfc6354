import { Empty } from "../parts/feedback.tsx";
import { formatCount } from "../parts/count.ts";
import { List } from "../parts/list.tsx";
import { Page } from "../parts/page.tsx";
import { useLocation } from "../parts/router.ts";
import { SearchField } from "../parts/search-field.tsx";
import { Table } from "../parts/table.tsx";
import { useNow } from "../parts/time.tsx";
import { domainPath, projectPath, projectsPath } from "../projects/addresses.ts";
import { LIST as PROJECTS } from "../projects/words.ts";
import { nextStep } from "./advice.ts";
import { type Filter, allDomainsPath, filterOf } from "./all-filter.ts";
import { StatusBadge } from "./list.tsx";
import { type Domain, type Stage, shownName } from "./model.ts";
import { useAllDomains, useDomainCounts } from "./queries.ts";
import { ALL, STAGES } from "./words.ts";

type Counts = ReturnType<typeof useDomainCounts>;

const withCount = (words: string, count: number | undefined): string =>
  count === undefined ? words : `${words} (${formatCount(count)})`;

const StageChoice = ({ filter, counts }: { filter: Filter; counts: Counts }) => {
  const { route } = useLocation();
  return (
    <select
      aria-label={ALL.stage}
      value={filter.stage ?? ""}
      onChange={({ currentTarget: { value } }) => route(allDomainsPath({ ...filter, stage: value }))}
    >
      <option value="">{withCount(ALL.everyStage, counts?.total)}</option>
      {Object.entries(STAGES).map(([stage, words]) => (
        <option key={stage} value={stage}>
          {withCount(words, counts?.byStage[stage as Stage])}
        </option>
      ))}
    </select>
  );
};

/** The search and the filter by stage. They are kept in the address; what is typed replaces it. */
const FilterForm = ({ filter, counts }: { filter: Filter; counts: Counts }) => {
  const { route } = useLocation();
  return (
    <div class="filter">
      <SearchField
        label={ALL.search}
        q={filter.q ?? ""}
        search={(q) => route(allDomainsPath({ ...filter, q }), true)}
      />
      <StageChoice filter={filter} counts={counts} />
    </div>
  );
};

const { columns } = ALL;

const Row = ({ domain }: { domain: Domain }) => {
  const { hostname, project, stage } = domain;
  return (
    <tr>
      <th scope="row">
        <a href={domainPath(project, hostname)}>
          <bdi>{shownName(domain)}</bdi>
        </a>
      </th>
      <td data-column={columns.project}>
        <a href={projectPath(project, "domains")}>{project}</a>
      </td>
      <td data-column={columns.stage}>
        <div>
          <StatusBadge domain={domain} /> {stage !== "live" && <small>{STAGES[stage]}</small>}
        </div>
      </td>
      <td data-column={columns.next}>{nextStep(domain, useNow())}</td>
    </tr>
  );
};

const NoDomains = ({ filter }: { filter: Filter }) =>
  filter.q || filter.stage ? (
    <Empty title={ALL.noMatch}>
      <a href={allDomainsPath()}>{ALL.showAll}</a>
    </Empty>
  ) : (
    <Empty title={ALL.none}>
      <p>{ALL.purpose}</p>
      <a href={projectsPath}>{PROJECTS.title}</a>
    </Empty>
  );

/** The custom domains of all projects, those with problems first. */
export const AllDomains = () => {
  const filter = filterOf(useLocation().query);
  const counts = useDomainCounts(filter);
  return (
    <Page title={ALL.title}>
      <FilterForm filter={filter} counts={counts} />
      {counts && counts.total > 0 && <p role="status">{ALL.attention(counts.needAttention)}</p>}
      <List
        found={useAllDomains(filter)}
        thing="domain"
        all={filter.stage ? counts?.byStage[filter.stage] : counts?.total}
        empty={<NoDomains filter={filter} />}
      >
        {(domains) => (
          <Table label={ALL.table} kind="all-domains" stackBelow={52} columns={Object.values(columns)}>
            {domains.map((domain) => (
              <Row key={`${domain.project} ${domain.hostname}`} domain={domain} />
            ))}
          </Table>
        )}
      </List>
    </Page>
  );
};
