import type { components } from "../../../../client/types/platform.d.ts";
import { STATUS_NAMES } from "../animals/animal.ts";

export type Entry = components["schemas"]["AuditEntry"];
export type Action = Entry["action"];
export type Actor = Entry["actor"];
export type Resource = Entry["resource"];
export type Kind = Resource["kind"];
export type Change = Entry["changes"][number];

/** True if the action ended the resource, so that it has no page. */
export const isEnd = (action: Action): boolean => action.endsWith(".deleted") || action.endsWith(".removed");

export const isOwn = ({ actor, resource }: Pick<Entry, "actor" | "resource">): boolean =>
  actor.kind === "person" && resource.kind === "person" && String(actor.id) === resource.id;

/** True if the changes have a value before and after. Otherwise they are the resource's initial values. */
export const isChange = (action: Action): boolean =>
  !/^export\.|\.(added|created|finished|opened|profile_changed|read|refused)$/.test(action);

const VERBS: Partial<Readonly<Record<Action, string>>> = {
  "pet.profile_changed": "changed the profile of",
  "category.changed": "renamed",
  "order.placed": "started",
  "order.erased": "erased the adopter of",
  "export.animals": "exported",
  "export.adopters": "listed",
  "backup.taken": "took",
  "key.rotated": "gave a new secret to",
  "person.joined": "accepted the invitation for",
  "person.passkey_added": "added a passkey to",
  "person.passkey_removed": "removed a passkey from",
  "session.opened": "signed in with",
  "session.closed": "signed out of",
  "session.refused": "refused sign-ins from",
  "deploy.activated": "switched back to",
  "domain.noticed": "noticed a problem with",
};

/** The user's action, before the name of the thing: "Maria added Bella". Most actions are named by their verb. */
export const verbOf = (action: Action): string => VERBS[action] ?? action.replace(/.*\./, "");

/** What people did to themselves: it needs no name. */
export const OWN_VERBS: Partial<Readonly<Record<Action, string>>> = {
  "person.invited": "asked for another invitation",
  "person.joined": "accepted the invitation",
  "person.changed": "changed their own account",
  "person.passkey_added": "added a passkey",
  "person.passkey_removed": "removed a passkey",
  "person.removed": "removed their own account",
};

export const KINDS: Readonly<Record<Kind, string>> = {
  pet: "Animals",
  photo: "Photos",
  field: "Custom fields",
  category: "Categories",
  order: "Adoptions",
  adopter: "Adopters",
  import: "Imports",
  export: "Exports",
  backup: "Backups",
  key: "Keys",
  person: "People",
  session: "Sign-ins",
  project: "Projects",
  deploy: "Deploys",
  domain: "Domains",
};

/** Who did it. Names require the permission to read the audit log. */
export const actorWords = ({ kind, name }: Actor): string => {
  if (kind === "person") return name ?? "A person";
  if (kind === "key") return name === undefined ? "An API key" : `Key ${name}`;
  return kind === "operator" ? "The operator" : "The service";
};

export const ACTOR_TITLES: Readonly<Record<Actor["kind"], string>> = {
  person: "A person, at the console",
  key: "An API key",
  operator: "The operator, at the command line or with a sign-in link",
  service: "Automatically",
};

const EXPORTS: Readonly<Record<string, string>> = {
  animals: "the animals",
  orders: "the adoptions with their adopters",
};

/** Before the name of the thing. */
const PREFIXES: Readonly<Partial<Record<Kind, string>>> = {
  order: "adoption no. ",
  photo: "a photo of ",
  category: "the category ",
  field: "the field ",
  import: "the import of ",
  backup: "the backup ",
  key: "the key ",
  project: "the project ",
  deploy: "deploy ",
};

/** The name of the thing. An order has the name of its animal. */
export const resourceWords = ({ kind, id, name = id }: Resource): string =>
  kind === "export" || kind === "adopter"
    ? (EXPORTS[id] ?? id)
    : `${PREFIXES[kind] ?? ""}${kind === "order" ? id : name}`;

/** The resource's parent, after its name. */
export const belongsTo = ({ kind, name, parent }: Resource): string => {
  if (kind === "order") return name === undefined ? "" : ` of ${name}`;
  return parent && kind !== "photo" ? ` in project ${parent.id}` : "";
};

/** The fields that have another name than in the API. */
const FIELDS: Readonly<Record<string, string>> = {
  categoryId: "Category",
  members: "Changed",
  scopes: "Permissions",
  notice: "Problem",
  method: "With",
};

const VALUES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  status: STATUS_NAMES,
  stage: {
    awaiting_dns: "waiting for DNS",
    dns_conflict: "DNS conflict",
    issuing: "certificate ordered",
    issue_failed: "certificate refused",
  },
  notice: {
    domain_failing: "no longer verifies",
    renewal_failed: "certificate not renewed",
    orders_failed: "three orders failed",
    certificate_overdue: "no certificate after 30 minutes",
  },
  method: {
    key: "an API key",
    passkey: "a passkey",
    account: "an account of another provider",
    link: "a sign-in link",
  },
};

/** A changed field in words. `nameOf` finds the name of a category. */
export const changeWords = (
  { field, from, to }: Change,
  isChange: boolean,
  nameOf: (categoryId: string) => string,
): string => {
  const valueOf = (value: string | undefined): string => {
    if (value === undefined) return "none";
    if (field === "categoryId") return nameOf(value);
    if (field === "scopes") return value === "*" ? "full access" : value.replaceAll(" ", ", ");
    return VALUES[field]?.[value] ?? value;
  };
  const name = FIELDS[field] ?? field.charAt(0).toUpperCase() + field.slice(1);
  return isChange ? `${name}: ${valueOf(from)} → ${valueOf(to)}` : `${name}: ${valueOf(to)}`;
};
