import { Type } from "@sinclair/typebox";
import { type Static, t } from "elysia";
import { Id, OneOf, Rule, Text, Time, checked, storedText } from "../../http/schemas.ts";
import { formatTime, parseTime } from "../../lib/time.ts";
import { RATE_PATTERN, formatRate, parseRate } from "../../lib/rate-limiter.ts";
import type { Key as StoredKey, NewKey as NewStoredKey } from "./repository.ts";
import { GRANTS, SCOPES } from "../../http/scopes.ts";
import type { KeyWithSecret } from "./service.ts";

export const MAX_NAME = 100;

const KeyName = Text("KeyName", {
  max: MAX_NAME,
  description: "What the key is for, in your own words.",
  examples: ["shelter website"],
});

const scopeList = Object.entries(SCOPES)
  .map(([scope, meaning]) => `\`${scope}\`: ${meaning}`)
  .join("; ");

const Scope = OneOf("Scope", GRANTS, {
  $id: "Scope",
  description: `A permission of a key. \`*\`: everything, including scopes of later versions; ${scopeList}.`,
  examples: ["pets:read"],
});

const Grants = t.Array(Scope, {
  minItems: 1,
  maxItems: GRANTS.length,
  uniqueItems: true,
  [Rule]: "must name one scope or more, each only once",
  description: "What the key may do.",
  examples: [["pets:read"]],
});

const RateLimit = checked<string>(
  "RateLimit",
  {
    type: "string",
    pattern: RATE_PATTERN,
    description: "The maximum number of requests in a window.",
    examples: ["600/min"],
  },
  "must be a number of requests and a window, such as 10/s, 600/min or 5000/h",
  (value) => typeof value === "string" && parseRate(value) !== undefined,
);

const newKeyFields = {
  name: KeyName,
  scopes: Grants,
  rateLimit: t.Optional(RateLimit),
  expiresAt: t.Optional(
    Time("When the key expires. Without it, the key never expires.", "2030-12-05T00:00:00Z"),
  ),
};

export const NewKey = t.Object(newKeyFields, {
  $id: "NewKey",
  additionalProperties: false,
  description: "A key to create.",
});

const fields = {
  id: Id("Unique identifier of the key. It is not secret.", 2),
  ...newKeyFields,
  name: storedText(KeyName),
  prefix: t.String({
    description: "The first characters of the newest secret. They help to recognise the key.",
    examples: ["aas_7Gx2"],
  }),
  createdAt: Time("When the key was created.", "2026-11-20T09:30:00.000Z"),
  lastUsedAt: t.Optional(
    Time("When the key was last used, accurate to a few seconds.", "2026-11-20T10:00:00.000Z"),
  ),
  revokedAt: t.Optional(Time("When the key was revoked.", "2026-11-21T08:00:00.000Z")),
};

export const Key = t.Object(
  {
    ...fields,
    deprecatedCalls: t.Optional(
      Type.Integer({
        minimum: 0,
        description: "Number of calls to deprecated operations with this key since the server started.",
        examples: [3],
      }),
    ),
  },
  { $id: "Key", description: "An API key, without its secret." },
);

export const Keys = t.Array(Key, {
  $id: "Keys",
  maxItems: 100,
  description: "API keys in ascending order of id.",
});

export const MintedKey = t.Object(
  {
    ...fields,
    secret: t.String({
      description:
        "The API key itself, for the header `Authorization: Bearer`. It is shown only once, and is not stored.",
      examples: ["aas_(36 letters and digits)"],
    }),
  },
  { $id: "MintedKey", description: "An API key with its secret." },
);

export const RevokeQuery = t.Object(
  {
    force: t.Optional(
      OneOf("Force", ["true", "false"], {
        default: "false",
        description:
          "`true` revokes the key even if no administrator or other key can grant all of its scopes.",
        examples: ["true"],
      }),
    ),
  },
  { additionalProperties: false },
);

/** One day to move clients to the new secret. */
export const DEFAULT_GRACE_SECONDS = 86_400;
export const MAX_GRACE_SECONDS = 30 * 86_400;

export const Rotation = t.Object(
  {
    graceSeconds: t.Optional(
      // Elysia's own integer accepts digits in a string too.
      Type.Integer({
        minimum: 0,
        maximum: MAX_GRACE_SECONDS,
        description: `How long the old secret stays valid, in seconds. The default is ${DEFAULT_GRACE_SECONDS}, one day.`,
        examples: [3600],
      }),
    ),
  },
  { $id: "Rotation", additionalProperties: false, description: "How to rotate a key." },
);

/** The new key that a valid body describes. */
export const toNewKey = ({ name, scopes, rateLimit, expiresAt }: Static<typeof NewKey>): NewStoredKey => ({
  name,
  scopes,
  rate: rateLimit === undefined ? undefined : parseRate(rateLimit),
  expiresAt: expiresAt === undefined ? undefined : parseTime(expiresAt),
});

/** A key as JSON. */
export const fromKey = (key: StoredKey): Static<typeof Key> => ({
  id: key.id,
  name: key.name,
  scopes: [...key.scopes],
  prefix: key.prefix,
  createdAt: formatTime(key.createdAt),
  ...(key.rate && { rateLimit: formatRate(key.rate) }),
  ...(key.expiresAt !== undefined && { expiresAt: formatTime(key.expiresAt) }),
  ...(key.lastUsedAt !== undefined && { lastUsedAt: formatTime(key.lastUsedAt) }),
  ...(key.revokedAt !== undefined && { revokedAt: formatTime(key.revokedAt) }),
});

export const fromKeyWithSecret = ({ key, secret }: KeyWithSecret): Static<typeof MintedKey> => ({
  ...fromKey(key),
  secret,
});
