import type { Action, ResourceKind } from "../../data/db/actions.ts";
import type { Actor } from "../../lib/actor.ts";

/** The resource that an act changed. */
export interface Resource {
  kind: ResourceKind;
  /** As in its path: an id, a slug or a host name. */
  id: string;
  /** Its name at that time. */
  name: string | null;
  /** The animal of an order, or the project of a deploy or domain. */
  parent: { kind: ResourceKind; id: string } | undefined;
}

/** Who did what, and when. Times are milliseconds UTC. */
export interface Entry {
  id: number;
  at: number;
  actor: Actor;
  action: Action;
  resource: Resource;
  /** The changed fields. Null: the field had, or has, no value. */
  changes: { field: string; from: string | null; to: string | null }[];
}

/** The kind of the parent of a resource. */
export const PARENTS: Readonly<Partial<Record<ResourceKind, ResourceKind>>> = {
  order: "pet",
  photo: "pet",
  deploy: "project",
  domain: "project",
};

/** The filters of a list. Its entries match all of them. */
export interface EntryFilters {
  actor?: { kind: Actor["kind"]; id?: number | undefined } | undefined;
  action?: Action | undefined;
  resource?: { kind: ResourceKind; id?: string | undefined } | undefined;
  /** At this time or later. */
  since?: number | undefined;
  /** Before this time. */
  until?: number | undefined;
}
