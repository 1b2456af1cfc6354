/** A statement of a record means something else on another node. */
export class NotReplicable extends Error {
  override name = "NotReplicable";
}

const READ = /^\s*(?:select|pragma|explain|values)\b/i;
const WRITE = /^\s*(?:insert|update|delete|replace|with)\b/i;

/** The index of animals, which every node makes for itself. */
const OWN_INDEX = /^\s*(?:update\s+pets_indexed\s+set\s+indexed_to\b|insert\s+into\s+pets_words\b)/i;

/** What other nodes would compute differently: time, chance, and what is about the connection or the local file. */
const DEPENDS_ON_NODE =
  /\b(?:random|randomblob|date|time|datetime|julianday|unixepoch|strftime|timediff|total_changes|sqlite_version|sqlite_source_id)\s*\(|\bcurrent_(?:date|time|timestamp)\b|\b(?:pets_words|pet_names|indexed_to|sqlite_stat[1-4]|user_version|pragma_\w+|replica)\b/i;

/** What a statement is for the log. */
export type StatementKind = "read" | "recorded" | "local";

/** `local`: it writes what each node has of its own. @throws NotReplicable */
export const kindOf = (sql: string): StatementKind => {
  if (READ.test(sql)) return "read";
  if (OWN_INDEX.test(sql)) return "local";
  assertReplicable(sql);
  return "recorded";
};

/** @throws NotReplicable unless the statement writes rows, and does the same on every node */
export const assertReplicable = (sql: string): void => {
  if (!WRITE.test(sql)) throw new NotReplicable(`a record may only write rows: ${sql}`);
  const [found] = DEPENDS_ON_NODE.exec(sql) ?? [];
  if (found !== undefined)
    throw new NotReplicable(`${found} is different on every node, so it cannot be recorded: ${sql}`);
};
