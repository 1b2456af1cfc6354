import { settingText } from "../../config/sources.ts";
import { databasePath } from "../../data-dir/paths.ts";
import { openForReading } from "../../db/readonly.ts";
import { selectedSources } from "../store.ts";

export interface Candidate {
  value: string;
  /** A description; "" for none. */
  text: string;
}

/** The objects of a store that a command can name. `$project` limits domains to a project; null does not. */
const QUERIES = {
  key: "SELECT id AS value, name AS text FROM keys WHERE revoked_at IS NULL",
  person: "SELECT id AS value, name AS text FROM people WHERE removed_at IS NULL",
  // Ids only once the user types one: names are easier to choose from.
  category: `SELECT name AS value, 'id ' || id AS text FROM categories
    UNION ALL SELECT id, name FROM categories WHERE $prefix <> ''`,
  project: "SELECT slug AS value, name AS text FROM projects",
  deploy: `SELECT deploys.id AS value, slug || ', ' || status AS text
    FROM deploys JOIN projects ON projects.id = project_id ORDER BY deploys.id DESC LIMIT 1000`,
  domain: `SELECT hostname AS value, stage AS text FROM domains JOIN projects ON projects.id = project_id
    WHERE $project IS NULL OR slug = $project`,
  certificate: "SELECT hostname AS value, '' AS text FROM certificates",
  order: "SELECT id AS value, status AS text FROM orders ORDER BY id DESC LIMIT 1000",
} as const;

export type ObjectKind = keyof typeof QUERIES;

export const isObjectKind = (text: string): text is ObjectKind => Object.hasOwn(QUERIES, text);

/** Finds the objects of a kind whose id or name begins with `prefix`. */
export type FindObjects = (
  kind: ObjectKind,
  prefix: string,
  place: { dataDir: string | undefined; project: string | undefined },
) => Candidate[];

const MAX_OBJECTS = 200;
/** A user waits for the list. A checkpoint of the server may take longer. */
const BUSY_MS = 100;

/** Finds objects in the store of the command, without changing a file; none if there is no store or no permission. */
export const findObjects: FindObjects = (kind, prefix, { dataDir, project }) => {
  try {
    const { text: directory } = settingText(
      "dataDir",
      selectedSources({ dataDir }, () => {}),
    );
    using client = openForReading(databasePath(directory));
    client.run(`PRAGMA busy_timeout=${BUSY_MS}`);
    return client
      .query<{ value: string | number; text: string }, Record<string, string | number | null>>(
        `SELECT * FROM (${QUERIES[kind]}) WHERE substr(value, 1, length($prefix)) = $prefix ORDER BY value LIMIT $limit`,
      )
      .all({ $prefix: prefix, $project: project ?? null, $limit: MAX_OBJECTS })
      .map(({ value, text }) => ({ value: String(value), text }));
  } catch {
    // The command itself reports the fault.
    return [];
  }
};
