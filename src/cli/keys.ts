import {
  DEFAULT_GRACE_SECONDS,
  MAX_GRACE_SECONDS,
  MAX_NAME,
  fromKey,
  fromKeyWithSecret,
} from "../access/keys/model.ts";
import type { KeyService, KeyWithSecret } from "../access/keys/service.ts";
import { OPERATOR } from "../lib/actor.ts";
import { Fault } from "../lib/errors.ts";
import { parseRate } from "../lib/rate-limiter.ts";
import { GRANTS, type Grant, SCOPES, isGrant } from "../http/scopes.ts";
import { LATEST_TIME, parseTime } from "../lib/time.ts";
import type { Outcome } from "./command.ts";
import { assertConfirmed, lineOf, readId, readSpan, UsageError, valueOf } from "./input.ts";
import { allAfter, glossary, note, relativeTime } from "./print/output.ts";
import { action, list, resource } from "./resource.ts";

type WireKey = ReturnType<typeof fromKey>;

const ID = {
  text: "the key's id",
  parse: valueOf("key id", readId, "a number; see adoption-store keys list"),
};

const nameOf = lineOf("--name", MAX_NAME);

const grantOf = valueOf(
  "--scope",
  (word): Grant | undefined => (isGrant(word) ? word : undefined),
  `a scope: use ${GRANTS.join(", ")}`,
);

/** Adds the scopes of one word, which may be a list with commas. @throws UsageError */
const addScopes = (text: string, before: readonly Grant[] = []): Grant[] => {
  const words = text.split(",").filter((word) => word !== "");
  return [...new Set([...before, ...words.map(grantOf)])];
};

const readExpiry = (text: string): number | undefined => {
  const span = readSpan(text);
  const time = span === undefined ? parseTime(text) : Date.now() + span * 1000;
  return time !== undefined && time > Date.now() && time <= LATEST_TIME ? time : undefined;
};

const expiryOf = valueOf(
  "--expires",
  readExpiry,
  "a time in the future, such as 2030-12-05T00:00:00Z, or a span such as 90d",
);
const rateOf = valueOf("--rate-limit", parseRate, "a rate such as 10/s, 600/min or 5000/h");
const spanOf = valueOf("--grace", readSpan, "a span such as 90s, 30m, 12h or 7d");

/** @throws UsageError */
const graceOf = (text: string): number => {
  const grace = spanOf(text);
  if (grace > MAX_GRACE_SECONDS) throw new UsageError(`--grace: at most ${MAX_GRACE_SECONDS / 86_400}d`);
  return grace;
};

/** The output of a command that makes a secret. The process may fail to print it. */
const secretOutcome = (made: KeyWithSecret, done: "created" | "rotated"): Outcome => {
  const { key, secret } = made;
  process.stdout.once("error", () =>
    note(`key ${key.id} was ${done}, but its secret could not be printed: revoke it, or rotate it`),
  );
  return {
    json: fromKeyWithSecret(made),
    text: `Key ${key.id} "${key.name}" (${[...key.scopes].join(" ")})\nSecret, shown only now: ${secret}`,
  };
};

const createKey = action({
  name: "create",
  description: "create a key and print its secret, which is shown only once",
  takes: {
    "--name <name>": { text: "the purpose of the key", parse: nameOf, required: true },
    "--scope <scopes...>": {
      text: "its permissions: scopes from the list below, or '*' for everything",
      parse: addScopes,
      suggestions: GRANTS,
      required: true,
    },
    "--expires <when>": {
      text: "when it ends: a time such as 2030-12-05T00:00:00Z or a span such as 90d (default: never)",
      parse: expiryOf,
    },
    "--rate-limit <rate>": {
      text: "maximum requests per time window: 10/s, 600/min or 5000/h (default: no limit)",
      parse: rateOf,
    },
  },
  notes: [glossary("The scopes:", Object.entries(SCOPES))],
  examples: {
    "Create a key for a website that shows animals":
      "--name website --scope pets:read \\\n  --rate-limit 600/min",
    "Create a key for a shelter's program, for 90 days":
      "--name shelter --expires 90d \\\n  --scope pets:read pets:write",
  },
  async run({ name, scope: scopes, expires: expiresAt, rateLimit: rate }, { keys }) {
    if (scopes.length === 0) throw new UsageError("--scope: name at least one scope");
    const key = { name, scopes, expiresAt, rate };
    return secretOutcome(await keys.create(key, OPERATOR), "created");
  },
});

const stateOf = ({ revokedAt, expiresAt }: WireKey, now: number): string => {
  if (revokedAt) return `revoked ${relativeTime(Date.parse(revokedAt), now)}`;
  if (!expiresAt) return "valid";
  const end = Date.parse(expiresAt);
  return `${end <= now ? "expired" : "expires"} ${relativeTime(end, now)}`;
};

const listKeys = list({
  name: "list",
  description: "list all keys, without their secrets",
  examples: { "Show all keys and when they were last used": "" },
  rows: async (_, { keys }) => (await allAfter(keys.list)).map(fromKey),
  columns: {
    ID: ({ id }) => String(id),
    NAME: ({ name }) => name,
    PREFIX: ({ prefix }) => prefix,
    SCOPES: ({ scopes }) => scopes.join(" "),
    LIMIT: ({ rateLimit }) => rateLimit ?? "-",
    "LAST USED": ({ lastUsedAt }, now) => (lastUsedAt ? relativeTime(Date.parse(lastUsedAt), now) : "never"),
    STATE: stateOf,
  },
  empty: "No keys. Create one: adoption-store keys create --help",
});

const rotateKey = action({
  name: "rotate",
  description: "replace the secret of a key and print the new one, which is shown only once",
  takes: {
    "<id>": ID,
    "--grace <span>": {
      text: `how long the old secret still works: 0s to ${MAX_GRACE_SECONDS / 86_400}d (default: ${DEFAULT_GRACE_SECONDS / 3600}h)`,
      parse: graceOf,
    },
  },
  examples: { "Replace a secret that leaked; the old one ends now": "2 --grace 0s" },
  async run({ id, grace = DEFAULT_GRACE_SECONDS }, { keys }) {
    return secretOutcome(await keys.rotate(id, grace, OPERATOR), "rotated");
  },
});

/** Revokes the key. Asks first if, without it, no key or administrator could grant all of its scopes. @throws Declined */
const revokeOrAsk = async (keys: KeyService, id: number, yes: boolean | undefined): Promise<void> => {
  try {
    return await keys.revoke(id, OPERATOR, { force: yes ?? false });
  } catch (error) {
    if (!(error instanceof Fault && error.code === "last_admin_key")) throw error;
  }
  const { name } = await keys.get(id);
  const question = `Without key ${id} "${name}", no key or administrator could grant all of its scopes. Revoke it?`;
  await assertConfirmed(yes, question, "Nothing was revoked.");
  await keys.revoke(id, OPERATOR, { force: true });
};

const revokeKey = action({
  name: "revoke",
  description: "revoke a key immediately; this can't be undone",
  takes: { "<id>": ID, "--yes": "do not ask, not even for the last key that can grant its scopes" },
  examples: { "End the key with id 2": "2" },
  async run({ id, yes }, { keys }) {
    await revokeOrAsk(keys, id, yes);
    const key = fromKey(await keys.get(id));
    if (key.revokedAt === undefined) throw new Error(`key ${id} is revoked but has no revocation time`);
    return { json: key, text: `Key ${id} "${key.name}" was revoked at ${key.revokedAt}` };
  },
});

export const keysCommand = resource({
  name: "keys",
  description: "create, list, rotate and revoke API keys",
  hint: "see adoption-store keys list",
  actions: [createKey, listKeys, rotateKey, revokeKey],
});
