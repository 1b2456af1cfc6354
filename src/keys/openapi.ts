import { operation } from "../http/operation.ts";

const TAGS = ["keys"];
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

export const listKeys = operation({
  operationId: "listKeys",
  summary: "List API keys",
  description:
    "Returns a page of keys in ascending order of id, including revoked and expired ones. If more follow, the `Link` header has the address of the next page.",
  tags: TAGS,
  responses: {
    200: {
      description: "The keys, without their secrets.",
      headers: ["Link", "Next-Cursor"],
      example: [LISTED],
    },
  },
});

export const createKey = operation({
  operationId: "createKey",
  summary: "Create an API key",
  description:
    "Creates an API key. The secret is in this response and nowhere else. A key never grants more than it has: its own scopes, `expiresAt` and `rateLimit` are the limits of the new key.",
  tags: TAGS,
  bodyExample: { name: "shelter website", scopes: ["pets:read"], rateLimit: "600/min" },
  responses: { 201: { description: "The key and its secret.", headers: ["Location"], example: MINTED } },
  faults: ["insufficient_scope"],
});

export const getKey = operation({
  operationId: "getKey",
  summary: "Fetch one API key",
  description: "Returns one API key. It can be revoked or expired.",
  tags: TAGS,
  responses: { 200: { description: "The key, without its secret.", example: LISTED } },
});

export const rotateKey = operation({
  operationId: "rotateKey",
  summary: "Give an API key a new secret",
  description:
    "Gives a key a new secret. The old secret stays valid for the grace period, so that you can move clients one by one. A key can rotate itself. It can rotate other keys if their scopes, lifetime and rate limit are within its own.",
  tags: TAGS,
  bodyExample: { graceSeconds: 3600 },
  responses: { 200: { description: "The key and its new secret.", example: MINTED } },
  faults: ["key_revoked", "key_expired"],
});

export const revokeKey = operation({
  operationId: "revokeKey",
  summary: "Revoke an API key",
  description:
    "Revokes an API key from the next request on. This can't be undone. Revoking a key again changes nothing. If the key can create keys and, without it, no key or administrator could grant all of its scopes, set `force=true`.",
  tags: TAGS,
  responses: { 204: { description: "The key is revoked." } },
  faults: ["last_admin_key"],
});
