import { and, desc, eq, lt, sql } from "drizzle-orm";
import { auditing } from "../db/audit.ts";
import { insertSelect } from "../db/insert-select.ts";
import type { Database } from "../db/open.ts";
import { deploys, projects } from "../db/schema/projects.ts";
import type { Act } from "../lib/actor.ts";
import { isHash } from "./blob-check.ts";

/** A deploy of a project. Times are milliseconds UTC. */
export interface Deploy {
  id: number;
  projectId: number;
  status: "succeeded" | "failed";
  /** Why it failed, for the person who uploaded it. */
  reason: string | null;
  /** The hash of its manifest's blob; null if it failed. */
  manifest: string | null;
  files: number;
  /** Bytes of all files, unpacked. */
  bytes: number;
  /** The key or the person that uploaded it; both null if the service made it. */
  keyId: number | null;
  personId: number | null;
  createdAt: number;
}

/** The project of a deploy. */
type ProjectOf = { id: number; slug: string };

interface SucceededUpload {
  manifest: string;
  files: number;
  bytes: number;
}

/** How many deploys a project keeps: the newest that succeeded, and as many that failed. */
export const MAX_RETAINED = 20;

const COLUMNS = {
  id: deploys.id,
  projectId: deploys.projectId,
  status: deploys.status,
  reason: deploys.reason,
  manifest: deploys.manifest,
  files: deploys.files,
  bytes: deploys.bytes,
  keyId: deploys.keyId,
  personId: deploys.personId,
  createdAt: deploys.createdAt,
};

const value = sql.placeholder;
const IN_PROJECT = eq(deploys.projectId, value("projectId"));
const IS_DEPLOY = and(IN_PROJECT, eq(deploys.id, value("id")));
const IS_NOT_SERVED = sql`${deploys.id} is not (select active_deploy_id from projects where id = ${value("projectId")})`;

/** The columns of a failed deploy's row in addition to its reason. */
const FAILED = { status: "failed", manifest: null, files: 0, bytes: 0 };

/** The columns of a new deploy that come from an act. */
const uploadValues = ({ actor, now }: Act) => ({
  keyId: actor.kind === "key" ? actor.id : null,
  personId: actor.kind === "person" ? actor.id : null,
  createdAt: now,
});

const readStatements = (orm: Database["orm"]) => {
  const findStatement = orm.select(COLUMNS).from(deploys).where(IS_DEPLOY).limit(1).prepare();
  const listStatement = orm
    .select(COLUMNS)
    .from(deploys)
    .where(and(IN_PROJECT, lt(deploys.id, value("before"))))
    .orderBy(desc(deploys.id))
    .limit(value("limit"))
    .prepare();
  const retainedStatement = orm
    .select({ manifest: deploys.manifest, files: deploys.files, bytes: deploys.bytes })
    .from(deploys)
    .where(and(IN_PROJECT, eq(deploys.status, "succeeded")))
    .orderBy(desc(deploys.id))
    .limit(MAX_RETAINED - 1)
    .prepare();
  const activeStatement = orm
    .select({ id: projects.activeDeployId })
    .from(projects)
    .where(eq(projects.id, value("projectId")))
    .limit(1)
    .prepare();
  const manifestsStatement = orm
    .selectDistinct({ manifest: deploys.manifest })
    .from(deploys)
    .where(eq(deploys.status, "succeeded"))
    .prepare();
  const activeManifestsStatement = orm
    .selectDistinct({ manifest: deploys.manifest })
    .from(deploys)
    .innerJoin(projects, eq(projects.activeDeployId, deploys.id))
    .prepare();
  return {
    findStatement,
    listStatement,
    retainedStatement,
    activeStatement,
    manifestsStatement,
    activeManifestsStatement,
  };
};

const writeStatements = (orm: Database["orm"]) => {
  /** Inserts nothing if the project was deleted meanwhile. */
  const insertStatement = insertSelect(
    orm,
    deploys,
    {
      projectId: projects.id,
      status: value("status"),
      reason: value("reason"),
      manifest: value("manifest"),
      files: value("files"),
      bytes: value("bytes"),
      keyId: value("keyId"),
      personId: value("personId"),
      createdAt: value("createdAt"),
    },
    sql`from ${projects} where ${projects.id} = ${value("projectId")}`,
  )
    .returning(COLUMNS)
    .prepare();
  const activateNewestStatement = orm
    .update(projects)
    .set({
      activeDeployId: sql`(select max(id) from deploys where project_id = ${projects.id} and status = 'succeeded')`,
    })
    .where(eq(projects.id, value("projectId")))
    .prepare();
  const activateStatement = orm
    .update(projects)
    .set({ activeDeployId: sql`${value("id")}` })
    .where(
      and(
        eq(projects.id, value("projectId")),
        sql`exists (select 1 from deploys
          where id = ${value("id")} and project_id = ${projects.id} and status = 'succeeded')`,
      ),
    )
    .returning({ id: projects.id })
    .prepare();
  const pruneStatement = orm
    .delete(deploys)
    .where(
      and(
        IN_PROJECT,
        sql`${deploys.status} = ${value("status")}`,
        sql`${deploys.id} <= (select id from deploys where project_id = ${value("projectId")}
          and status = ${value("status")} order by id desc limit 1 offset ${MAX_RETAINED})`,
        IS_NOT_SERVED,
      ),
    )
    .prepare();
  const removeStatement = orm
    .delete(deploys)
    .where(and(IS_DEPLOY, IS_NOT_SERVED))
    .returning({ id: deploys.id })
    .prepare();
  return { insertStatement, activateNewestStatement, activateStatement, pruneStatement, removeStatement };
};

const deployWrites = ({ orm, client, commit }: Database, reads: ReturnType<typeof readStatements>) => {
  const record = auditing({ client });
  const { insertStatement, activateNewestStatement, activateStatement, pruneStatement, removeStatement } =
    writeStatements(orm);
  return {
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
      const values = {
        projectId,
        ...upload,
        ...uploadValues(act),
        status: "succeeded",
        reason: null,
      };
      const [[row]] = await commit(
        [
          { query: insertStatement, values },
          { query: activateNewestStatement, values },
          { query: pruneStatement, values },
        ],
        ([[deploy]]) => record(act, deploy && { action: "deploy.published", id: deploy.id, parent: slug }),
      );
      return row;
    },
    /** Records a refused upload. The served deploy stays. The newest `MAX_RETAINED` that failed stay. */
    async fail({ id: projectId }: ProjectOf, reason: string, act: Act): Promise<Deploy | undefined> {
      const values = { projectId, reason, ...uploadValues(act), ...FAILED };
      const [[row]] = await commit([
        { query: insertStatement, values },
        { query: pruneStatement, values },
      ]);
      return row;
    },
    /** Makes a deploy the served one; undefined if it did not succeed or does not exist. */
    async activate({ id: projectId, slug }: ProjectOf, id: number, act: Act): Promise<Deploy | undefined> {
      const [, rows] = await commit(
        [
          { query: reads.activeStatement, values: { projectId } },
          { query: activateStatement, values: { projectId, id } },
        ],
        ([[before], [activated]]) =>
          record(
            act,
            activated && before?.id !== id ? { action: "deploy.activated", id, parent: slug } : undefined,
          ),
      );
      return rows.length > 0 ? reads.findStatement.get({ projectId, id }) : undefined;
    },
    /** Deletes a deploy; false if it is the served one, or does not exist. */
    async remove({ id: projectId, slug }: ProjectOf, id: number, act: Act): Promise<boolean> {
      const [rows] = await commit([{ query: removeStatement, values: { projectId, id } }], ([[removed]]) =>
        record(act, removed && { action: "deploy.deleted", id, parent: slug }),
      );
      return rows.length > 0;
    },
  };
};

const hashesOf = (rows: readonly { manifest: string | null }[]): string[] =>
  rows.flatMap(({ manifest }) => (manifest !== null && isHash(manifest) ? [manifest] : []));

export const deployRepository = (database: Database) => {
  const reads = readStatements(database.orm);

  /** A deploy of this project. */
  const find = async (projectId: number, id: number): Promise<Deploy | undefined> =>
    reads.findStatement.get({ projectId, id });

  return {
    find,
    ...deployWrites(database, reads),
    /** Newest first, with ids below `before`. */
    async list(page: { projectId: number; before: number; limit: number }): Promise<Deploy[]> {
      return reads.listStatement.all({ ...page });
    },
    /** The deploys that stay when the next one succeeds: the newest `MAX_RETAINED - 1` that succeeded. */
    async listRetained(projectId: number): Promise<Pick<Deploy, "manifest" | "files" | "bytes">[]> {
      return reads.retainedStatement.all({ projectId });
    },
    /** The hashes of all manifests. */
    manifests: async (): Promise<string[]> => hashesOf(reads.manifestsStatement.all()),
    /** The hashes of the manifests of served deploys. */
    activeManifests: async (): Promise<string[]> => hashesOf(reads.activeManifestsStatement.all()),
  };
};

export type DeployRepository = ReturnType<typeof deployRepository>;
