import { Empty } from "../parts/feedback.tsx";
import { List } from "../parts/list.tsx";
import { Page } from "../parts/page.tsx";
import { useLocation, useRoute } from "../parts/navigation.ts";
import { SearchField } from "../parts/search-field.tsx";
import { Table } from "../parts/table.tsx";
import { useNow } from "../parts/time.tsx";
import { domainPath, projectPath } from "../projects/addresses.ts";
import { useSession } from "../session.tsx";
import { AddDomains, MANY } from "./dialogs.tsx";
import { StatusBadge } from "./list.tsx";
import { type Domain, shownName } from "./model.ts";
import { ALL, type Filter, STAGES, allDomainsPath, filterOf, nextStep } from "./overview.ts";
import { statusOf } from "./progress.ts";
import { useAllDomains } from "./queries.ts";

const { columns } = ALL;

/** The search and the filter by stage. The address keeps both. Typing replaces it without a new history entry. */
const FilterForm = ({ filter }: { filter: Filter }) => {
  const { route } = useLocation();
  return (
    <div class="finding filter">
      <SearchField
        label={ALL.search}
        q={filter.q ?? ""}
        search={(q) => route(allDomainsPath({ ...filter, q }), true)}
      />
      <select
        aria-label={columns.stage}
        value={filter.stage ?? ""}
        onChange={({ currentTarget: { value } }) => route(allDomainsPath({ ...filter, stage: value }))}
      >
        <option value="">{ALL.everyStage}</option>
        {Object.entries(STAGES).map(([stage, words]) => (
          <option key={stage} value={stage}>
            {words}
          </option>
        ))}
      </select>
    </div>
  );
};

const Row = ({ domain }: { domain: Domain }) => {
  const { hostname, project, stage } = domain;
  const now = useNow();
  const { title, details } = nextStep(domain, now);
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
          <StatusBadge domain={domain} />{" "}
          {statusOf(domain, now) !== "active" && <small>{STAGES[stage]}</small>}
        </div>
      </td>
      <td data-column={columns.next}>
        <div>
          {title} <small>{details}</small>
        </div>
      </td>
    </tr>
  );
};

/** The custom domains of all projects, problems first. */
export const AllDomains = () => {
  const filter = filterOf(useLocation().query);
  const mayAdd = useSession().can("platform:write");
  return (
    <Page
      title={ALL.title}
      actions={
        mayAdd && (
          <a class="button" href={allDomainsPath(filter, "add")}>
            {MANY.title}
          </a>
        )
      }
    >
      <FilterForm filter={filter} />
      <List
        found={useAllDomains(filter)}
        thing="domain"
        empty={
          <Empty title={filter.q || filter.stage ? ALL.noMatch : ALL.none}>
            {filter.q || filter.stage ? <a href={allDomainsPath()}>{ALL.showAll}</a> : <p>{ALL.purpose}</p>}
          </Empty>
        }
      >
        {(domains) => (
          <Table label={ALL.table} stackBelow={52} columns={Object.values(columns)}>
            {domains.map((domain) => (
              <Row key={`${domain.project} ${domain.hostname}`} domain={domain} />
            ))}
          </Table>
        )}
      </List>
      {mayAdd && useRoute().params["part"] === "add" && <AddDomains back={allDomainsPath(filter)} />}
    </Page>
  );
};
