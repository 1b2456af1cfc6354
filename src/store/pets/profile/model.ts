import { type TSchema, t } from "elysia";
import { etagOf } from "../../../http/etag.ts";
import { checked, Time } from "../../../http/schemas.ts";
import { assertValid } from "../../../http/validation.ts";
import { fieldFault } from "../../../lib/errors.ts";
import { DAY_MS, formatTime } from "../../../lib/time.ts";
import type { Field } from "../fields/field.ts";
import { customValues } from "../fields/model.ts";
import { MEMBER_NAMES, membersAs, referenceOf } from "./members.ts";
import type { Members, Profile as StoredProfile } from "./profile.ts";

const TIMES = {
  createdAt: Time("When the animal was added.", "2026-11-20T09:30:00.000Z"),
  updatedAt: Time("When the animal or its profile was last changed.", "2026-11-21T08:00:00.000Z"),
};

/** A value that `toMembers` checks or ignores. @param json documents it */
const unchecked = (json: object) => t.Optional(checked<unknown>("Unchecked", { ...json }, "", () => true));

/** A body may have the times of a response. They are ignored. */
const IGNORED = {
  createdAt: unchecked({ ...TIMES.createdAt, readOnly: true }),
  updatedAt: unchecked({ ...TIMES.updatedAt, readOnly: true }),
};

export const ProfileDocument = t.Object(
  { ...membersAs(({ schema }) => schema), ...IGNORED },
  {
    $id: "ProfileDocument",
    additionalProperties: false,
    description: "A whole profile. Empty lists and objects are the same as absent ones.",
  },
);

/** The values of a member in a merge patch: `null`, too, also for the members of an object. */
const orNull = ({ required: _required, ...schema }: TSchema): object => {
  const { properties, additionalProperties } = schema as TSchema & { properties?: Record<string, TSchema> };
  const parts = Object.entries(properties ?? {}).map(([name, part]) => [name, orNull(part)]);
  const nullable = {
    ...schema,
    ...(schema.$id && { $id: schema.$id.replace("Document", "Change") }),
    ...(properties && { properties: Object.fromEntries(parts) as object }),
    ...(additionalProperties && { additionalProperties: orNull(additionalProperties as TSchema) }),
  };
  return { anyOf: [nullable, { type: "null" }] };
};

export const ProfileChange = t.Object(
  { ...membersAs(({ schema }) => unchecked(orNull(schema))), ...IGNORED },
  {
    $id: "ProfileChange",
    additionalProperties: false,
    description:
      "The members to change, also inside `goodWith`, `fee` and `custom`. Absent members keep their value, and `null` removes one (RFC 7396).",
  },
);

export const Profile = t.Object(
  { ...TIMES, ...membersAs(({ schema, returned = schema }) => returned) },
  { $id: "Profile", description: "What a shelter knows of an animal beyond its name, category and status." },
);

const isEmpty = (value: unknown): boolean =>
  value === undefined || (typeof value === "object" && value !== null && Object.keys(value).length === 0);

const DATES: ReadonlySet<string> = new Set(["birthDate", "arrivedOn"]);

/** @throws Fault invalid_request */
const assertNotFuture = (document: Members, now: number): void => {
  const max = formatTime(now + 366 * DAY_MS).slice(0, 10);
  for (const [field, value] of Object.entries(document))
    if (DATES.has(field) && typeof value === "string" && value > max)
      throw fieldFault("invalid_request", { field, rule: "maximum" }, `${field}: must be ${max} or earlier`);
};

/**
 * The members of a whole document.
 * @param document from a body, or a profile to which a patch was applied
 * @throws Fault invalid_request
 */
export const toMembers = (document: unknown, fields: readonly Field[], now: number): Members => {
  const custom = t.Optional(customValues(fields));
  assertValid(t.Object({ ...ProfileDocument.properties, custom }, { additionalProperties: false }), document);
  const { reference, ...given } = document as Members;
  assertNotFuture(given, now);
  const members: Members = { ...given, reference: referenceOf(reference) };
  const present = MEMBER_NAMES.filter((name) => !isEmpty(members[name]));
  return Object.fromEntries(present.map((name) => [name, members[name]]));
};

/** The JSON form of a profile. */
export const fromProfile = ({ createdAt, updatedAt, members }: StoredProfile) => ({
  createdAt: formatTime(createdAt),
  updatedAt: formatTime(updatedAt),
  ...members,
});

export const profileJson = (profile: StoredProfile): string => JSON.stringify(fromProfile(profile));

/** The entity tag of a profile, as `ETag` has it and `If-Match` takes it. */
export const etagOfProfile = (profile: StoredProfile): string => etagOf(profileJson(profile));
