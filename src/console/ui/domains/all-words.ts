import { formatCount, pluralize } from "../parts/count.ts";
import type { Addition, Stage } from "./model.ts";

// The words of the page of all domains.

/** The stage of a domain, for the list of all projects. */
export const STAGES: Record<Stage, string> = {
  awaiting_dns: "Waiting for its DNS records",
  dns_conflict: "Another DNS record is in the way",
  verified: "Verified, waiting for its certificate",
  issuing: "Certificate ordered",
  issue_failed: "Certificate refused",
  live: "Live",
  suspended: "Suspended",
};

/** The page with the domains of all projects. */
export const ALL = {
  title: "Domains",
  table: "Domains of all projects",
  columns: { name: "Domain", project: "Project", stage: "Stage", next: "What to do" },
  search: "Search domains",
  everyStage: "Every stage",
  attention: (count: number) => `Domains that need attention: ${formatCount(count)}`,
  noMatch: "No domain matches",
  showAll: "Show all domains",
  none: "No domains yet",
  purpose: "The custom domains of all projects appear here, problems first.",
} as const;

/** The dialog that adds a list of domains. */
export const MANY = {
  title: "Add domains",
  project: "Project",
  projectHint: "The slug of the project for lines without one.",
  list: "Domains",
  listHint: "One per line, or CSV with the columns domain, project and role.",
  file: "Or choose a file",
  done: "Done",
  results: { added: "Added", present: "Already there", refused: "Refused" },
  summary: (additions: readonly Addition[]) => {
    const refused = additions.filter(({ result }) => result === "refused").length;
    return `${pluralize(additions.length - refused, "domain")} added or already there, ${formatCount(refused)} refused.`;
  },
  it: "It ",
} as const;
