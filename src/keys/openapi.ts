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
const SEEN = { ...KEY, deprecatedCalls: 3 };
const MINTED = { ...KEY, secret: "aas_(36 letters and digits)" };

export const listKeys = operation({
  operationId: "listKeys",
  summary: "List API keys",
  description:
    "Ascending by id, the revoked ones too. While more follow, the `Link` header names the next page.",
  tags: TAGS,
  responses: {
    200: {
      description: "The keys, without their secrets.",
      headers: ["Link", "Next-Cursor"],
      example: [SEEN],
    },
  },
});

export const createKey = operation({
  operationId: "createKey",
  summary: "Make an API key",
  description:
    "The secret is in this response and nowhere else. A key never grants more than it has: the new key's scopes, `expiresAt` and `rateLimit` must lie within those of the key that creates it.",
  tags: TAGS,
  bodyExample: { name: "shelter website", scopes: ["pets:read"], rateLimit: "600/min" },
  responses: { 201: { description: "The key and its secret.", headers: ["Location"], example: MINTED } },
});

export const getKey = operation({
  operationId: "getKey",
  summary: "Fetch one API key",
  description: "Also one that is revoked or has expired.",
  tags: TAGS,
  responses: { 200: { description: "The key, without its secret.", example: SEEN } },
});

export const rotateKey = operation({
  operationId: "rotateKey",
  summary: "Give an API key a new secret",
  description:
    "The old secret stays valid for the grace period, so that clients can be moved one by one. A key can rotate itself, and any key whose scopes, lifetime and rate limit are within its own.",
  tags: TAGS,
  bodyExample: { graceSeconds: 3600 },
  responses: { 200: { description: "The key and its new secret.", example: MINTED } },
  faults: ["key_revoked", "key_expired"],
});

export const revokeKey = operation({
  operationId: "revokeKey",
  summary: "Revoke an API key",
  description:
    "Takes effect with the next request, and can't be undone. Revoking a key again is fine. The last usable key with `keys:admin` or `*` is revoked only with `force=true`.",
  tags: TAGS,
  responses: { 204: { description: "The key is revoked." } },
  faults: ["last_admin_key"],
});
