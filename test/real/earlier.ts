import { Database as Client } from "bun:sqlite";
import { type Migration } from "../../src/data/db/migrations.ts";
import { migrate } from "../../src/data/db/migrate.ts";
import { hashOf, createSecret } from "../../src/access/keys/secret.ts";

export const ANIMALS = 20_000;
const OTHERS = 300;

const DAY_MS = 86_400_000;
type Value = string | number | null;
type Row = Record<string, Value>;

const oneOf = <Item>(items: readonly [Item, ...Item[]], index: number): Item =>
  items[index % items.length] ?? items[0];

/** Names as people give them: accents, other scripts, quotes, long words. */
const NAMES = [
  "Bella",
  "Zoë Müller",
  "كلب",
  "🐶 Rex",
  'Max, the "Great"',
  "Donaudampfschifffahrtshund",
] as const;

export const nameOf = (id: number): string => `${oneOf(NAMES, id)} number${id}`;

const SECRET = createSecret((count) =>
  Uint8Array.from({ length: count }, (_, index) => (index * 37 + 11) % 248),
);

/** The secret of the first key, which has all scopes. */
export const adminSecret = SECRET;

/**
 * A row of each table that any migration has made; `id` counts from 1. Columns that a table does not have yet are left out, and
 * so is what triggers write.
 */
const ROWS: Record<string, (id: number, now: number) => Row> = {
  keys: (id, now) => ({
    id,
    name: `key ${id}`,
    scopes: id === 1 ? "*" : oneOf(["pets:read", "pets:read pets:write", "metrics:read"], id),
    rate_requests: id % 3 === 2 ? 600 : null,
    rate_seconds: id % 3 === 2 ? 60 : null,
    created_at: now - id,
    expires_at: id % 5 === 2 ? now + DAY_MS : null,
    last_used_at: id % 2 ? null : now - id,
    revoked_at: id % 7 === 3 ? now - id : null,
  }),
  secrets: (id, now) => ({
    hash: id === 1 ? hashOf(SECRET) : hashOf(`secret ${id}`),
    key_id: id,
    prefix: SECRET.slice(0, 8),
    created_at: now - id,
    expires_at: id % 5 === 2 ? now + DAY_MS : null,
  }),
  pets: (id, now) => ({
    id,
    name: nameOf(id),
    category_id: id % 10,
    status: oneOf(["available", "pending", "sold", null], id),
    created_at: now - id,
  }),
  projects: (id, now) => ({
    id,
    slug: `project-${id}`,
    name: `Project ${id}`,
    plan: oneOf(["free", "pro", "enterprise"], id),
    target_label: `label${id}`,
    active_deploy_id: id % 2 ? null : id,
    created_at: now - id,
  }),
  deploys: (id, now) => ({
    id,
    project_id: id,
    status: id % 2 ? "failed" : "succeeded",
    reason: id % 2 ? "too large" : null,
    manifest: id % 2 ? null : hashOf(`manifest ${id}`),
    files: id,
    bytes: id * 1000,
    key_id: 1,
    person_id: null,
    created_at: now - id,
  }),
  // None is due: nothing is asked of a name server.
  domains: (id, now) => ({
    id,
    project_id: id,
    hostname: `www${id}.example.org`,
    stage: oneOf(["live", "awaiting_dns", "suspended"], id),
    role: "served",
    created_at: now - id,
    waiting_since: now - id,
    checked_at: now - id,
    next_check_at: null,
    failing_since: null,
    verified_at: now - id,
    live_at: now - id,
    findings: "[]",
    trace: null,
  }),
  domain_events: (id, now) => ({
    id,
    project_id: id,
    hostname: `www${id}.example.org`,
    at: now - id,
    actor: oneOf(["key", "operator", "service"], id),
    key_id: null,
    person_id: null,
    actor_name: null,
    event: "added",
    stage: "awaiting_dns",
    findings: "[]",
  }),
  released_names: (id) => ({ hostname: `old${id}.example.org` }),
  acme_accounts: (id) => ({
    authority: `https://ca${id}.example.org/directory`,
    key: `key ${id}`,
    url: null,
  }),
  acme_attempts: (id, now) => ({
    id,
    authority: "https://ca1.example.org/directory",
    kind: oneOf(["order", "refused", "issued"], id),
    hostname: `www${id}.example.org`,
    apex: "example.org",
    at: now - id,
  }),
  certificates: (id, now) => ({
    hostname: `www${id}.example.org`,
    next_at: null,
    failures: id % 4,
    problem: null,
    created_at: now - id,
    key: id % 2 ? null : `private key ${id}`,
    chain: id % 2 ? null : `chain ${id}`,
    authority: null,
    not_before: id % 2 ? null : now - DAY_MS,
    not_after: id % 2 ? null : now + 80 * DAY_MS,
    renewals: id % 3,
    token: `token-${id}`,
  }),
  answers: (id, now) => ({
    id,
    key_id: 1,
    caller: "key:1",
    idempotency_key: `act ${id}`,
    fingerprint: hashOf(`request ${id}`),
    status: 201,
    headers: "{}",
    body: `{"id":${id}}`,
    created_at: now - id,
  }),
  audit_entries: (id, now) => ({
    id,
    at: now - id,
    actor: oneOf(["key", "person", "operator", "service"], id),
    actor_id: id % 4 < 2 ? id : null,
    actor_name: id % 4 < 2 ? "Maria" : null,
    action: "pet.added",
    resource: "pet",
    resource_id: String(id),
    parent_id: null,
    label: nameOf(id),
    changes: null,
  }),
  categories: (id) => ({ id, name: `Category ${id}`, folded: `category ${id}` }),
  orders: (id, now) => ({
    id,
    pet_id: id,
    adopter_name: id % 4 ? "Ada Byron" : null,
    adopter_email: id % 4 ? `ada${id}@example.org` : null,
    note: id % 3 ? null : "Has a garden.",
    status: oneOf(["placed", "approved", "completed", "cancelled"], id),
    created_at: now - id,
    updated_at: now - id,
  }),
  import_changes: (id, now) => ({
    id,
    import_id: id,
    kind: "changed",
    pet_id: id,
    to_id: id,
    before: `{"name":"${nameOf(id)}"}`,
    at: now - id,
  }),
  imports: (id, now) => ({
    id,
    file: `animals-${id}.csv`,
    head: hashOf(`head ${id}`),
    hash: hashOf(`hash ${id}`),
    bytes: id * 100,
    read: id,
    added: id,
    rejected: 0,
    rejected_bytes: 0,
    started_at: now - id,
    finished_at: now - id,
    rejected_file: id % 2 ? null : `animals-${id}.csv.rejected`,
    rejected_hash: id % 2 ? null : hashOf(`rejected ${id}`),
  }),
  people: (id, now) => ({
    id,
    name: nameOf(id),
    email: id % 9 === 4 ? null : `person-${id}@example.org`,
    folded_email: id % 9 === 4 ? null : `person-${id}@example.org`,
    role: oneOf(["volunteer", "staff", "administrator"], id),
    handle: `handle-${id}`,
    created_at: now - id,
    last_seen_at: id % 2 ? null : now - id,
    removed_at: id % 9 === 4 ? now - id : null,
  }),
  invitations: (id, now) => ({
    person_id: id,
    hash: hashOf(`invitation ${id}`),
    created_at: now - id,
    expires_at: now + DAY_MS,
  }),
  passkeys: (id, now) => ({
    id,
    person_id: id,
    credential_id: `credential-${id}`,
    public_key: `public-key-${id}`,
    sign_count: id % 3,
    transports: '["internal"]',
    name: `Passkey ${id}`,
    created_at: now - id,
    last_used_at: id % 2 ? null : now - id,
  }),
  identities: (id, now) => ({
    issuer: "https://login.example.org",
    subject: `subject-${id}`,
    person_id: id,
    created_at: now - id,
  }),
  browser_states: (id, now) => ({
    hash: hashOf(`browser ${id}`),
    kind: "session",
    holder: `key:${id}`,
    sealed: "",
    used_at: now + DAY_MS,
    until: now + 2 * DAY_MS,
  }),
  sealing_keys: (id) => ({ one: id, key: "k".repeat(43) }),
  pet_profiles: (id) => ({ pet_id: id, data: `{"sex":"female","reference":"A-${id}"}` }),
  pet_search: (id) => ({ pet_id: id, of_name: "", of_profile: "poodle" }),
  pet_fields: (id) => ({
    id,
    name: `field${id}`,
    label: `Field ${id}`,
    kind: "text",
    is_public: id % 2,
    position: id,
  }),
  pet_photos: (id, now) => ({
    id,
    pet_id: id,
    position: 0,
    alt: nameOf(id),
    width: 640,
    height: 480,
    placeholder: "data:,",
    manifest: hashOf(`photo ${id}`),
    files: `{"640.webp":{"hash":"${hashOf(`file ${id}`)}","size":1000}}`,
    created_at: now - id,
  }),
  store_identity: (id, now) => ({
    one: id,
    store_id: "00000000-0000-4000-8000-000000000000",
    created_at: now,
  }),
};

const COUNTS: Readonly<Record<string, number>> = { pets: ANIMALS, sealing_keys: 1, store_identity: 1 };
/** What other tables' triggers, a migration or a server by itself fill, and the ledger. */
const FILLED_BY_OTHERS = new Set([
  "letter_folds",
  "migrations",
  "notices",
  "pet_counts_by_category",
  "pet_counts_by_day",
  "pet_events",
  "pet_names",
  "pet_times",
  "pets_indexed",
]);

/** Ordinary tables, without those that SQLite or a virtual table maintains. */
export const tablesOf = (client: Client): string[] =>
  client
    .query<{ name: string }, []>(
      "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
    )
    .all()
    .map(({ name }) => name);

export const columnsOf = (client: Client, table: string): string[] =>
  client
    .query<{ name: string }, [string]>("SELECT name FROM pragma_table_info(?)")
    .all(table)
    .map(({ name }) => name);

const fillTable = (client: Client, table: string, now: number): void => {
  const rowOf = ROWS[table];
  if (!rowOf) throw new Error(`say in test/real/earlier.ts what a row of ${table} is`);
  const columns = columnsOf(client, table).filter((column) => column in rowOf(1, now));
  const values = columns.map(() => "?").join(", ");
  const insert = client.prepare(`INSERT INTO ${table} (${columns.join(", ")}) VALUES (${values})`);
  for (let id = 1; id <= (COUNTS[table] ?? OTHERS); id++) {
    const row = rowOf(id, now);
    insert.run(...columns.map((column) => row[column] ?? null));
  }
};

/** Makes a database as these migrations leave it, and fills every table. */
export const makeEarlier = (path: string, applied: readonly Migration[], now: number): void => {
  const client = new Client(path, { create: true, strict: true });
  client.run("PRAGMA journal_mode=WAL");
  client.run("PRAGMA synchronous=OFF");
  migrate(client, applied);
  client.run("PRAGMA foreign_keys=OFF");
  client.transaction(() => {
    for (const table of tablesOf(client)) if (!FILLED_BY_OTHERS.has(table)) fillTable(client, table, now);
    // Ids that were given once are not given again.
    client.run("DELETE FROM pets WHERE id > ?", [ANIMALS - 10]);
    client.run("UPDATE pets SET category_id = 42 WHERE id % 1000 = 0");
  })();
  client.run("PRAGMA wal_checkpoint(TRUNCATE)");
  client.close();
};
