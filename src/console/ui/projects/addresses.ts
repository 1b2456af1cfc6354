/** The addresses of the pages about projects. */

const PROJECTS = "/console/projects";

export const projectsPath = PROJECTS;

/** An area of a project, or an item in it: `projectPath("docs", "deploys", "3")`. */
export const projectPath = (slug: string, ...parts: string[]): string =>
  [PROJECTS, ...[slug, ...parts].map(encodeURIComponent)].join("/");

/** A custom domain of a project, or an action on it. */
export const domainPath = (slug: string, hostname: string, ...parts: string[]): string =>
  projectPath(slug, "domains", hostname, ...parts);

/** A short form of an address, for people. */
export const shownAddress = (address: string): string =>
  address.replace(/^https?:\/\//, "").replace(/\/$/, "");
