// What both peers do as adoption-store does it, so that they differ in framework and driver only.

/** A key by the SHA-256 of its secret. */
export const KEY_BY_HASH = `
  select k.id, k.scopes, k.expires_at as expiresAt, k.revoked_at as revokedAt, s.expires_at as secretExpiresAt
  from secrets s join keys k on k.id = s.key_id
  where s.hash = ? limit 1`;

/** Animals behind an id, ascending. */
export const PETS_AFTER = `
  select id, name, category_id as categoryId, status from pets where id > ? order by id limit ?`;

/** True if the row of KEY_BY_HASH lets its holder read animals now. */
export const mayRead = (key, now) =>
  key !== undefined &&
  key !== null &&
  key.revokedAt === null &&
  (key.expiresAt === null || key.expiresAt > now) &&
  (key.secretExpiresAt === null || key.secretExpiresAt > now) &&
  key.scopes.split(" ").some((scope) => scope === "*" || scope === "pets:read");

/** An animal without a status has no such field. */
export const toPet = (row) =>
  row.status === null ? { id: row.id, name: row.name, categoryId: row.categoryId } : row;

/** One page of the rows, of which one more than `limit` was asked for, and the headers of its answer. */
export const toPage = (rows, limit, requestId) => {
  const headers = {
    "content-type": "application/json",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "private, no-cache",
    vary: "Authorization",
    "x-request-id": requestId,
  };
  if (rows.length > limit) {
    rows.length = limit;
    const cursor = Buffer.from(`${rows[limit - 1].id}:pets:`).toString("base64url");
    headers["next-cursor"] = cursor;
    headers.link = `</v1/pets?limit=${limit}&cursor=${cursor}>; rel="next"`;
  }
  return { pets: rows.map(toPet), headers };
};

export const PRAGMAS = ["busy_timeout=5000", "synchronous=FULL", "cache_size=-16384"];
