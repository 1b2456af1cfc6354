import type { components } from "../../../client/types/platform.d.ts";

export type Entry = components["schemas"]["AuditEntry"];
export type Action = Entry["action"];
export type Actor = Entry["actor"];
export type Resource = Entry["resource"];
export type Kind = Resource["kind"];
export type Change = Entry["changes"][number];

/** True if the action ended the resource, so that it has no page. */
export const isEnd = (action: Action): boolean => action.endsWith(".deleted") || action.endsWith(".removed");

/** True if people did it to themselves. */
export const isOwn = ({ actor, resource }: Pick<Entry, "actor" | "resource">): boolean =>
  actor.kind === "person" && resource.kind === "person" && String(actor.id) === resource.id;

/** True if the changes have a value before and after. Otherwise they are the resource's initial values. */
export const isChange = (action: Action): boolean =>
  !/^export\.|\.(added|created|finished|opened|read|refused)$/.test(action);
