import { sql } from "drizzle-orm";
import { record } from "../../data/db/audit.ts";
import type { Database } from "../../data/db/open.ts";
import { petPhotos } from "../../data/db/schema/profiles.ts";
import { deploys, projects } from "../../data/db/schema/projects.ts";
import { columnsOf, insert, statement, update, value, valuesFor } from "../../data/db/statement.ts";
import type { Act } from "../../lib/actor.ts";
import { isHash } from "./blob-check.ts";

/** A deploy of a project. */
export type Deploy = typeof deploys.$inferSelect;

/** The project of a deploy. */
type ProjectOf = { id: number; slug: string };

type SucceededUpload = Pick<Deploy, "files" | "bytes"> & { manifest: string };

/** How many deploys a project keeps: the newest that succeeded, and as many that failed. */
export const MAX_RETAINED = 20;

/** The columns of a failed deploy's row in addition to its reason. */
const FAILED = { status: "failed", manifest: null, files: 0, bytes: 0 };

/** The columns of a new deploy that come from an act. */
const uploadValues = ({ actor, now }: Act) => ({
  keyId: actor.kind === "key" ? actor.id : null,
  personId: actor.kind === "person" ? actor.id : null,
  createdAt: now,
});

const hashesOf = (rows: readonly Pick<Deploy, "manifest">[]): string[] =>
  rows.flatMap(({ manifest }) => (manifest !== null && isHash(manifest) ? [manifest] : []));

const OF_PROJECT = sql`${deploys.projectId} = ${value("projectId")}`;
const IS_DEPLOY = sql`${OF_PROJECT} AND ${deploys.id} = ${value("id")}`;
const SUCCEEDED = sql`${deploys.status} = 'succeeded'`;
const IS_NOT_SERVED = sql`${deploys.id} IS NOT (
    SELECT ${projects.activeDeployId} FROM ${projects} WHERE ${projects.id} = ${value("projectId")})`;

const FIND = statement<Deploy>(sql`SELECT ${columnsOf(deploys)} FROM ${deploys} WHERE ${IS_DEPLOY}`);

const LIST = statement<Deploy>(sql`
  SELECT ${columnsOf(deploys)}
  FROM ${deploys}
  WHERE ${OF_PROJECT} AND ${deploys.id} < ${value("before")}
  ORDER BY ${deploys.id} DESC
  LIMIT ${value("limit")}`);

const RETAINED = statement<Pick<Deploy, "manifest" | "files" | "bytes">>(sql`
  SELECT ${columnsOf(deploys, "manifest", "files", "bytes")}
  FROM ${deploys}
  WHERE ${OF_PROJECT} AND ${SUCCEEDED}
  ORDER BY ${deploys.id} DESC
  LIMIT ${MAX_RETAINED - 1}`);

const ACTIVE = statement<{ id: number | null }>(sql`
  SELECT ${projects.activeDeployId} AS id
  FROM ${projects}
  WHERE ${projects.id} = ${value("projectId")}`);

const MANIFESTS = statement<Pick<Deploy, "manifest">>(sql`
  SELECT DISTINCT ${columnsOf(deploys, "manifest")}
  FROM ${deploys}
  WHERE ${SUCCEEDED}`);

/** Photos that are read at a time. */
const SLICE_ROWS = 1000;

const PHOTOS = statement<Pick<typeof petPhotos.$inferSelect, "id" | "manifest" | "files">>(sql`
  SELECT ${columnsOf(petPhotos, "id", "manifest", "files")}
  FROM ${petPhotos}
  WHERE ${petPhotos.id} > ${value("after")}
  ORDER BY ${petPhotos.id}
  LIMIT ${SLICE_ROWS}`);

const ACTIVE_MANIFESTS = statement<Pick<Deploy, "manifest">>(sql`
  SELECT DISTINCT ${columnsOf(deploys, "manifest")}
  FROM ${deploys}
  JOIN ${projects} ON ${projects.activeDeployId} = ${deploys.id}`);

/** Inserts nothing if the project was deleted meanwhile. */
const INSERT = statement<Deploy>(sql`
  ${insert(deploys, {
    projectId: projects.id,
    ...valuesFor("status", "reason", "manifest", "files", "bytes", "keyId", "personId", "createdAt"),
  })}
  FROM ${projects}
  WHERE ${projects.id} = ${value("projectId")}
  RETURNING ${columnsOf(deploys)}`);

const ACTIVATE_NEWEST = statement(sql`
  ${update(projects, {
    activeDeployId: sql`(
      SELECT max(${deploys.id}) FROM ${deploys} WHERE ${deploys.projectId} = ${projects.id} AND ${SUCCEEDED})`,
  })}
  WHERE ${projects.id} = ${value("projectId")}`);

const ACTIVATE = statement<{ id: number }>(sql`
  ${update(projects, { activeDeployId: value("id") })}
  WHERE ${projects.id} = ${value("projectId")}
    AND EXISTS (SELECT 1 FROM ${deploys} WHERE ${IS_DEPLOY} AND ${SUCCEEDED})
  RETURNING ${projects.id} AS id`);

const PRUNE = statement(sql`
  DELETE FROM ${deploys}
  WHERE ${OF_PROJECT}
    AND ${deploys.status} = ${value("status")}
    AND ${IS_NOT_SERVED}
    AND ${deploys.id} <= (
      SELECT ${deploys.id}
      FROM ${deploys}
      WHERE ${OF_PROJECT} AND ${deploys.status} = ${value("status")}
      ORDER BY ${deploys.id} DESC
      LIMIT 1 OFFSET ${MAX_RETAINED})`);

const REMOVE = statement<{ id: number }>(sql`
  DELETE FROM ${deploys}
  WHERE ${IS_DEPLOY} AND ${IS_NOT_SERVED}
  RETURNING ${deploys.id} AS id`);

export const deployRepository = ({ client, commit }: Database) => {
  return {
    /** A deploy of this project. */
    find: async (projectId: number, id: number) => FIND.get(client, { projectId, id }),
    /**
     * Records a deploy and makes it the served one, in one atomic step. The newest `MAX_RETAINED` that succeeded stay, and the
     * served one.
     * @returns undefined if the project was deleted
     */
    async succeed(
      { id: projectId, slug }: ProjectOf,
      upload: SucceededUpload,
      act: Act,
    ): Promise<Deploy | undefined> {
      const values = { projectId, ...upload, ...uploadValues(act), status: "succeeded", reason: null };
      const [[row]] = await commit(
        [INSERT.with(values), ACTIVATE_NEWEST.with(values), PRUNE.with(values)],
        ([[deploy]]) => record(act, deploy && { action: "deploy.published", id: deploy.id, parent: slug }),
      );
      return row;
    },
    /** Records a refused upload. The served deploy stays. The newest `MAX_RETAINED` that failed stay. */
    async fail({ id: projectId }: ProjectOf, reason: string, act: Act): Promise<Deploy | undefined> {
      const values = { projectId, reason, ...uploadValues(act), ...FAILED };
      const [[row]] = await commit([INSERT.with(values), PRUNE.with(values)]);
      return row;
    },
    /** Makes a deploy the served one; undefined if it did not succeed or does not exist. */
    async activate({ id: projectId, slug }: ProjectOf, id: number, act: Act): Promise<Deploy | undefined> {
      const values = { projectId, id };
      const [, rows] = await commit([ACTIVE.with(values), ACTIVATE.with(values)], ([[before], [activated]]) =>
        record(
          act,
          activated && before?.id !== id ? { action: "deploy.activated", id, parent: slug } : undefined,
        ),
      );
      return rows.length > 0 ? FIND.get(client, values) : undefined;
    },
    /** Deletes a deploy; false if it is the served one, or does not exist. */
    async remove({ id: projectId, slug }: ProjectOf, id: number, act: Act): Promise<boolean> {
      const [rows] = await commit([REMOVE.with({ projectId, id })], ([[removed]]) =>
        record(act, removed && { action: "deploy.deleted", id, parent: slug }),
      );
      return rows.length > 0;
    },
    /** Newest first, with ids below `before`. */
    list: async (page: { projectId: number; before: number; limit: number }) => LIST.all(client, page),
    /** The deploys that stay when the next one succeeds: the newest `MAX_RETAINED - 1` that succeeded. */
    listRetained: async (projectId: number) => RETAINED.all(client, { projectId }),
    /** The hashes of all manifests. */
    manifests: async () => hashesOf(MANIFESTS.all(client)),
    /** The hashes of all blobs of animals' photos. A row has them, so that no manifest is read. */
    async *photoHashes(): AsyncGenerator<string> {
      for (let after = 0; ;) {
        const photos = PHOTOS.all(client, { after });
        for (const { manifest, files } of photos)
          yield* `${manifest} ${files}`.match(/\b[\da-f]{64}\b/g) ?? [];
        if (photos.length < SLICE_ROWS) return;
        after = photos.at(-1)?.id ?? Infinity;
        await Bun.sleep(0);
      }
    },
    /** The hashes of the manifests of served deploys. */
    activeManifests: async () => hashesOf(ACTIVE_MANIFESTS.all(client)),
  };
};

export type DeployRepository = ReturnType<typeof deployRepository>;
