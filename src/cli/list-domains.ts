import { toFilters } from "../domains/all-domains-model.ts";
import { fromDomain } from "../domains/model.ts";
import type { DomainService } from "../domains/service.ts";
import { STORED_STAGES } from "../domains/stage.ts";
import type { ListedDomain } from "../domains/views.ts";
import { domainCommand, projectOption, withDomains } from "./domain-command.ts";
import { type WireDomain, displayName } from "./print/domain.ts";
import { type Columns, allPages, printList } from "./print/list.ts";
import { relativeTime } from "./print/relative-time.ts";
import { configBeside } from "./settings.ts";
import { UsageError } from "./usage-error.ts";

const PAGE_SIZE = 100;

interface ListOptions extends Record<string, unknown> {
  project?: string;
  stage?: string;
  q?: string;
  json?: boolean;
}

/** Stages with commas between them. @throws UsageError */
const stagesOf = (text: string): string => {
  const unknown = text.split(",").find((stage) => !(STORED_STAGES as string[]).includes(stage));
  if (unknown !== undefined)
    throw new UsageError(
      `--stage: ${JSON.stringify(unknown)} is not a stage: use ${STORED_STAGES.join(", ")}, with commas between several`,
    );
  return text;
};

/** All domains of a project, in the order in which they were added. */
export const everyDomain = (domains: DomainService, project: string): Promise<ListedDomain[]> =>
  allPages((cursor: string | undefined) => domains.list(project, { limit: PAGE_SIZE, cursor }));

const columnsAt = (now: number): Columns<WireDomain> => ({
  DOMAIN: displayName,
  STAGE: ({ stage, suspension }) => (suspension ? `${stage} (the plan is below Pro)` : stage),
  ROLE: ({ role }) => role,
  PROJECT: ({ project }) => project,
  CHECKED: ({ checkedAt }) => (checkedAt ? relativeTime(Date.parse(checkedAt), now) : "never"),
});

/** Prints the domains that the options select. */
const listDomains = async (domains: DomainService, options: ListOptions): Promise<void> => {
  const { project, stage, q, json } = options;
  const isFiltered = stage !== undefined || q !== undefined;
  const found =
    project === undefined || isFiltered
      ? await allPages((cursor: string | undefined) =>
          domains.listAll({ ...toFilters({ project, stage, q }), limit: PAGE_SIZE, cursor }),
        )
      : await everyDomain(domains, project);
  printList(found.map(fromDomain), columnsAt(Date.now()), {
    json,
    empty: isFiltered
      ? "No domains match."
      : `No domains. Add one: adoption-store domains add HOSTNAME --project ${project ?? "SLUG"}`,
  });
};

export const listCommand = () =>
  domainCommand(
    "list",
    "list the domains of all projects, those with problems first, or of one project",
    ["List the domains that need attention", "adoption-store domains list --stage dns_conflict,issue_failed"],
    projectOption("only those of this project, such as docs"),
  )
    .option("--stage <stages>", "only those in these stages, such as awaiting_dns,dns_conflict", stagesOf)
    .option("--q <text>", "only those whose names contain this text")
    .action((options: ListOptions) =>
      withDomains(configBeside(options), (domains) => listDomains(domains, options)),
    );
