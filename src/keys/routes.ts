import { Elysia, status } from "elysia";
import { nextPage } from "../http/headers.ts";
import { NoContent, NoQuery, parseId } from "../http/schemas.ts";
import type { Macros } from "../http/macros.ts";
import { cutPage, readCursor } from "../lib/pagination.ts";
import {
  DEFAULT_GRACE_SECONDS,
  Key,
  KeyParams,
  KeyQuery,
  Keys,
  MintedKey,
  NewKey,
  RevokeQuery,
  Rotation,
  fromKey,
  fromKeyWithSecret,
  toNewKey,
} from "./model.ts";
import { createKey, getKey, listKeys, revokeKey, rotateKey } from "./openapi.ts";
import type { Key as StoredKey } from "./repository.ts";
import type { KeyService } from "./service.ts";

/** Cursors are bound to this list. */
const LIST = "keys";

const adminOnly = { stability: "beta", scope: "keys:admin" } as const;

/** API keys, under `/platform/keys`. */
export const keyRoutes = ({
  keys,
  deprecatedCalls,
  macros,
}: {
  keys: KeyService;
  /** A key's calls to deprecated operations since the server started. */
  deprecatedCalls(keyId: number): number;
  macros: Macros;
}) => {
  const withCalls = (key: StoredKey) => ({ ...fromKey(key), deprecatedCalls: deprecatedCalls(key.id) });
  return new Elysia({ name: "keys", normalize: false })
    .use(macros)
    .get(
      "/platform/keys",
      async ({ query, set }) => {
        const limit = Number(query.limit);
        const after = query.cursor === undefined ? 0 : readCursor(query.cursor, LIST);
        const { items, next } = cutPage(await keys.list({ after, limit: limit + 1 }), limit, LIST);
        Object.assign(set.headers, nextPage("/platform/keys", { limit }, next));
        return items.map(withCalls);
      },
      { ...adminOnly, query: KeyQuery, response: { 200: Keys }, detail: listKeys },
    )
    .post(
      "/platform/keys",
      async ({ body, caller, set }) => {
        const minted = await keys.create(toNewKey(body), caller);
        set.headers["location"] = `/platform/keys/${minted.key.id}`;
        return status(201, fromKeyWithSecret(minted));
      },
      {
        ...adminOnly,
        reads: "json",
        query: NoQuery,
        body: NewKey,
        response: { 201: MintedKey },
        detail: createKey,
      },
    )
    .get("/platform/keys/:keyId", async ({ params }) => withCalls(await keys.get(parseId(params.keyId))), {
      ...adminOnly,
      query: NoQuery,
      params: KeyParams,
      response: { 200: Key },
      detail: getKey,
    })
    .post(
      "/platform/keys/:keyId/rotate",
      async ({ body: { graceSeconds = DEFAULT_GRACE_SECONDS }, params, caller }) =>
        fromKeyWithSecret(await keys.rotate(parseId(params.keyId), graceSeconds, caller)),
      {
        ...adminOnly,
        reads: "json",
        query: NoQuery,
        params: KeyParams,
        body: Rotation,
        response: { 200: MintedKey },
        detail: rotateKey,
      },
    )
    .delete(
      "/platform/keys/:keyId",
      async ({ params, query, caller }) => {
        await keys.revoke(parseId(params.keyId), caller, { force: query.force === "true" });
        return status(204, undefined);
      },
      {
        ...adminOnly,
        query: RevokeQuery,
        params: KeyParams,
        response: { 204: NoContent },
        detail: revokeKey,
      },
    );
};
