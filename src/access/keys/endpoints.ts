import { endpoints } from "../../http/endpoint.ts";
import type { Macros } from "../../http/macros.ts";
import { IdInPath } from "../../http/schemas.ts";
import { pageAfter } from "../../lib/pagination.ts";
import {
  DEFAULT_GRACE_SECONDS,
  Key,
  Keys,
  MintedKey,
  NewKey,
  RevokeQuery,
  Rotation,
  fromKey,
  fromKeyWithSecret,
  toNewKey,
} from "./model.ts";
import type { Key as StoredKey } from "./repository.ts";
import type { KeyService } from "./service.ts";

const KEY = {
  id: 2,
  name: "shelter website",
  scopes: ["pets:read"],
  rateLimit: "600/min",
  prefix: "aas_7Gx2",
  createdAt: "2026-11-20T09:30:00.000Z",
};
const LISTED = { ...KEY, deprecatedCalls: 3 };
const MINTED = { ...KEY, secret: "aas_(36 letters and digits)" };

const keyId = IdInPath("Id of the key.");

/** Cursors are bound to this list. */
const LIST = "keys";

/**
 * API keys, under `/platform/keys`.
 * @param deprecatedCalls a key's calls to deprecated operations since the server started
 */
export const keyEndpoints = ({
  keys,
  deprecatedCalls,
  macros,
}: {
  keys: KeyService;
  deprecatedCalls(keyId: number): number;
  macros: Macros;
}) => {
  const { add, list, app } = endpoints({ macros, tag: "keys", scope: "keys:admin" });
  const withCalls = (key: StoredKey) => ({ ...fromKey(key), deprecatedCalls: deprecatedCalls(key.id) });
  list("GET /platform/keys", {
    id: "listKeys",
    summary: "List API keys",
    description:
      "Returns a page of keys in ascending order of id, including revoked and expired ones. If more follow, the `Link` header has the address of the next page.",
    returns: [Keys, "The keys, without their secrets.", [LISTED]],
    run: async ({ query }) => {
      const { items, next } = await pageAfter(query, LIST, keys.list);
      return { items: items.map(withCalls), next };
    },
  });
  add("POST /platform/keys", {
    id: "createKey",
    summary: "Create an API key",
    description:
      "Creates an API key. The secret is in this response and nowhere else. A key never grants more than it has: its own scopes, `expiresAt` and `rateLimit` are the limits of the new key.",
    body: NewKey,
    bodyExample: { name: "shelter website", scopes: ["pets:read"], rateLimit: "600/min" },
    returns: [MintedKey, "The key and its secret.", MINTED],
    faults: ["insufficient_scope"],
    location: ({ id }) => `/platform/keys/${id}`,
    run: async ({ body, caller }) => fromKeyWithSecret(await keys.create(toNewKey(body), caller)),
  });
  add("GET /platform/keys/:keyId", {
    id: "getKey",
    summary: "Fetch one API key",
    description: "Returns one API key. It can be revoked or expired.",
    params: { keyId },
    returns: [Key, "The key, without its secret.", LISTED],
    run: async ({ params }) => withCalls(await keys.get(params.keyId)),
  });
  add("POST /platform/keys/:keyId/rotate", {
    id: "rotateKey",
    summary: "Give an API key a new secret",
    description:
      "Gives a key a new secret. The old secret stays valid for the grace period, so that you can move clients one by one. A key can rotate itself. It can rotate other keys if their scopes, lifetime and rate limit are within its own.",
    params: { keyId },
    body: Rotation,
    bodyExample: { graceSeconds: 3600 },
    returns: [MintedKey, "The key and its new secret.", MINTED],
    faults: ["key_revoked", "key_expired"],
    run: async ({ params, body: { graceSeconds = DEFAULT_GRACE_SECONDS }, caller }) =>
      fromKeyWithSecret(await keys.rotate(params.keyId, graceSeconds, caller)),
  });
  add("DELETE /platform/keys/:keyId", {
    id: "revokeKey",
    summary: "Revoke an API key",
    description:
      "Revokes an API key from the next request on. This can't be undone. Revoking a key again changes nothing. If the key can create keys and, without it, no key or administrator could grant all of its scopes, set `force=true`.",
    params: { keyId },
    query: RevokeQuery,
    returns: "The key is revoked.",
    faults: ["last_admin_key"],
    run: ({ params, query, caller }) => keys.revoke(params.keyId, caller, { force: query.force === "true" }),
  });
  return app;
};
