import type { components } from "../../../../client/types/platform.d.ts";
import { pageOf, platform } from "../api/client.ts";
import type { FormWords } from "../parts/wording.ts";
import { useAll, useOne } from "../parts/queries.ts";
import type { User } from "../session.tsx";

export type Person = components["schemas"]["Person"];
export type InvitedPerson = components["schemas"]["InvitedPerson"];
export type Passkey = components["schemas"]["Passkey"];
export type Role = Person["role"];

/** The roles: the title of each, "as a volunteer", and its permissions. */
export const ROLES: Record<Role, { name: string; as: string; may: string }> = {
  volunteer: { name: "Volunteer", as: "a volunteer", may: "Sees animals. Starts and changes adoptions." },
  staff: {
    name: "Staff",
    as: "staff",
    may: "Adds, changes and deletes animals and categories. Starts and changes adoptions.",
  },
  administrator: {
    name: "Administrator",
    as: "an administrator",
    may: "May do everything, including projects, keys and people.",
  },
};

export const PASSKEY_FIELDS: FormWords = {
  name: { otherwise: "Enter a name without line breaks or tabs." },
};
export const NO_PASSKEYS = "Passkeys need a current browser and an https:// address.";

/** The scopes of each role, as the API has them. */
const ROLE_SCOPES: Record<Role, User["scopes"]> = {
  volunteer: ["pets:read", "orders:read", "orders:write"],
  staff: ["pets:read", "pets:write", "orders:read", "orders:write"],
  administrator: ["*"],
};

type Manager = Pick<User, "scopes" | "expiresAt" | "rateLimit">;

/** True if the page offers to give this role, or to change people with it: no user grants more than they hold. */
export const mayManage = ({ scopes, expiresAt, rateLimit }: Manager, role: Role): boolean =>
  expiresAt === undefined &&
  rateLimit === undefined &&
  (scopes.includes("*") || ROLE_SCOPES[role].every((scope) => scopes.includes(scope)));

export const isSelf = (user: Pick<User, "kind" | "id">, { id }: Pick<Person, "id">): boolean =>
  user.kind === "person" && user.id === id;

/** The state of an invitation that was not accepted. @param now milliseconds UTC */
export const invitationOf = ({ invitedUntil }: Person, now: number): "none" | "open" | "expired" => {
  if (invitedUntil === undefined) return "none";
  return Date.parse(invitedUntil) > now ? "open" : "expired";
};

/** The host of an OpenID Connect issuer, which is how people know it. */
export const issuerName = (issuer: string): string => (URL.canParse(issuer) ? new URL(issuer).host : issuer);

export const PEOPLE = ["people"] as const;
export const PATH = "/console/people";

export const usePeople = () =>
  useAll([...PEOPLE, "list"], (query) => pageOf(platform.GET("/platform/people", { params: { query } })));

/** One person. @param id from the address */
export const usePerson = (id: string) =>
  useOne([...PEOPLE, id], () =>
    platform.GET("/platform/people/{personId}", { params: { path: { personId: Number(id) } } }),
  );
