import { adoptionsPath } from "../adoptions/addresses.ts";
import { animalPath } from "../animals/addresses.ts";
import { categoriesPath } from "../categories/addresses.ts";
import { addressOf } from "../parts/address.ts";
import { domainPath, projectPath } from "../projects/addresses.ts";
import type { Resource } from "./entry.ts";

/** The entries to show: those that match every field. */
export interface Filter {
  /** As in the API: "person:2", "key" or "operator". */
  actor?: string | undefined;
  /** As in the API: "pet" or "pet:7". */
  resource?: string | undefined;
  /** Days, such as "2026-11-20". Both are included. */
  since?: string | undefined;
  until?: string | undefined;
}

const ACTOR = /^(?:(?:key|person)(?::[1-9]\d{0,14})?|operator|service)$/;
const RESOURCE = /^[a-z]{1,20}(?::.{1,255})?$/;

/** A day that exists. */
const dayOf = (text: string | undefined): string | undefined =>
  text && /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : undefined;

const matching = (text: string | undefined, pattern: RegExp): string | undefined =>
  text && pattern.test(text) ? text : undefined;

/** Reads the filter from an address. Malformed fields are left out. */
export const filterOf = (query: Record<string, string | undefined>): Filter => ({
  actor: matching(query["actor"], ACTOR),
  resource: matching(query["resource"], RESOURCE),
  since: dayOf(query["since"]),
  until: dayOf(query["until"]),
});

/** The address of the page with a filter. */
export const activityPath = ({ actor, resource, since, until }: Filter = {}): string =>
  addressOf("/console/activity", {
    actor: actor || undefined,
    resource: resource || undefined,
    since: since || undefined,
    until: until || undefined,
  });

/** The start of a day in the user's time zone, or of a day `later` days after it. */
const startOf = (day: string, later = 0): string => {
  const [year, month, date] = day.split("-").map(Number) as [number, number, number];
  return new Date(year, month - 1, date + later).toISOString();
};

/** The times from the start of the first day to the end of the last. */
export const timesOf = ({ since, until }: Filter): { since?: string; until?: string } => ({
  ...(since !== undefined && { since: startOf(since) }),
  ...(until !== undefined && { until: startOf(until, 1) }),
});

/** The page of a resource, and the scope that it needs; undefined if it has none. */
export const pageOfResource = ({ kind, id, parent }: Resource) => {
  const slug = parent?.id ?? id;
  switch (kind) {
    case "pet":
      return { href: animalPath(Number(id)), scope: "pets:read" } as const;
    case "order":
      return { href: adoptionsPath({}, id), scope: "orders:read" } as const;
    case "category":
      return { href: categoriesPath(), scope: "pets:read" } as const;
    case "key":
      return { href: "/console/keys", scope: "keys:admin" } as const;
    case "person":
      return { href: "/console/people", scope: "people:admin" } as const;
    case "project":
      return { href: projectPath(id), scope: "platform:read" } as const;
    case "deploy":
      return { href: projectPath(slug, "deploys"), scope: "platform:read" } as const;
    case "domain":
      return { href: domainPath(slug, id), scope: "platform:read" } as const;
    default:
      return undefined;
  }
};
