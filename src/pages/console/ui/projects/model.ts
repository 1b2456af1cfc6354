import type { components } from "../../../../client/types/platform.d.ts";
import { pluralize } from "../parts/wording.ts";

/** A copy of src/platform/projects/plan.ts, because the console imports nothing of the program. */
export const PLANS = {
  free: { customDomains: false },
  pro: { customDomains: true },
  enterprise: { customDomains: true },
} as const;

type Schemas = components["schemas"];

export type Project = Schemas["Project"];
export type NewProject = Schemas["NewProject"];
export type ProjectChange = Schemas["ProjectChange"];
export type Deploy = Schemas["Deploy"];

export type Plan = keyof typeof PLANS;

export const PLAN_NAMES: Record<Plan, string> = { free: "Free", pro: "Pro", enterprise: "Enterprise" };

export const hasDomains = (plan: Plan): boolean => PLANS[plan].customDomains;

const MAX_SLUG_LENGTH = 63;

/** Suggests a slug for a project's name: `tierheim-koln` for `Tierheim Köln`. It may be empty. */
export const slugOf = (name: string): string =>
  name
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, MAX_SLUG_LENGTH)
    .replaceAll(/^-+|-+$/g, "");

/** The media type of an archive by its file name; undefined if it cannot be deployed. */
export const archiveTypeOf = (name: string): "application/zip" | "application/gzip" | undefined => {
  if (/\.zip$/i.test(name)) return "application/zip";
  return /\.(tar\.gz|tgz)$/i.test(name) ? "application/gzip" : undefined;
};

const UNITS = ["KB", "MB", "GB"] as const;

/** "1.2 MB" */
export const sizeOf = (bytes: number): string => {
  if (bytes < 1000) return pluralize(bytes, "byte");
  const power = Math.min(Math.floor(Math.log10(bytes) / 3), UNITS.length);
  const value = bytes / 1000 ** power;
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${UNITS[power - 1]}`;
};

/** "42 files, 1.2 MB". */
export const contentOf = ({ files, bytes }: { files: number; bytes: number }): string =>
  `${pluralize(files, "file")}, ${sizeOf(bytes)}`;

/** The button that makes a deploy live, and the title of its dialog. */
export const activationWords = (id: number, activeDeploy = 0): { label: string; title: string } =>
  id < activeDeploy
    ? { label: "Roll back", title: `Roll back to deploy ${id}` }
    : { label: "Make live", title: `Make deploy ${id} live` };

const PROJECTS = "/console/projects";

export const projectsPath = PROJECTS;

/** An area of a project, or an item in it: `projectPath("docs", "deploys", "3")`. */
export const projectPath = (slug: string, ...parts: string[]): string =>
  [PROJECTS, ...[slug, ...parts].map(encodeURIComponent)].join("/");

interface DomainName {
  /** The slug of its project. */
  project: string;
  hostname: string;
}

/** A custom domain of a project, or an action on it. */
export const domainPath = ({ project, hostname }: DomainName, ...parts: string[]): string =>
  projectPath(project, "domains", hostname, ...parts);

/** A short form of an address, for people. */
export const shownAddress = (address: string): string =>
  address.replace(/^https?:\/\//, "").replace(/\/$/, "");
