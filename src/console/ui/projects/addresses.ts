/** Addresses of the console's own pages about projects. */

const PROJECTS = "/console/projects";

export const projectsPath = PROJECTS;

/** Of an area of a project, or of something in it: `projectPath("docs", "deploys", "3")`. */
export const projectPath = (slug: string, ...parts: string[]): string =>
  [PROJECTS, ...[slug, ...parts].map(encodeURIComponent)].join("/");

/** Of a project's custom domain, or of something to do with it. */
export const domainPath = (slug: string, hostname: string, ...parts: string[]): string =>
  projectPath(slug, "domains", hostname, ...parts);

/** An address as people read it: without what goes without saying. */
export const shownAddress = (address: string): string =>
  address.replace(/^https?:\/\//, "").replace(/\/$/, "");
