import { and, desc, eq, lt, sql } from "drizzle-orm";
import { insertSelect } from "../db/insert-select.ts";
import type { Database } from "../db/open.ts";
import { deploys, projects } from "../db/schema/projects.ts";
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
  /** The key that uploaded it; null if the service made it. */
  keyId: number | null;
  createdAt: number;
}

interface Upload {
  projectId: number;
  keyId: number | null;
  createdAt: number;
}

interface SucceededUpload extends Upload {
  manifest: string;
  files: number;
  bytes: number;
}

interface FailedUpload extends Upload {
  reason: string;
}

/** How many deploys a project keeps: the newest that succeeded, and as many that failed. */
const MAX_RETAINED = 20;

const COLUMNS = {
  id: deploys.id,
  projectId: deploys.projectId,
  status: deploys.status,
  reason: deploys.reason,
  manifest: deploys.manifest,
  files: deploys.files,
  bytes: deploys.bytes,
  keyId: deploys.keyId,
  createdAt: deploys.createdAt,
};

const value = sql.placeholder;
const IN_PROJECT = eq(deploys.projectId, value("projectId"));
const IS_DEPLOY = and(IN_PROJECT, eq(deploys.id, value("id")));
const IS_NOT_SERVED = sql`${deploys.id} is not (select active_deploy_id from projects where id = ${value("projectId")})`;

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
  const manifestsStatement = orm
    .selectDistinct({ manifest: deploys.manifest })
    .from(deploys)
    .where(eq(deploys.status, "succeeded"))
    .prepare();
  /** The table where SQLite stores the last id that it assigned. */
  const lastIdStatement = orm
    .select({ seq: sql<number>`seq` })
    .from(sql`sqlite_sequence`)
    .where(sql`name = 'deploys'`)
    .limit(1)
    .prepare();
  return { findStatement, listStatement, retainedStatement, manifestsStatement, lastIdStatement };
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
      createdAt: value("createdAt"),
    },
    sql`from ${projects} where ${projects.id} = ${value("projectId")}
      and (${value("isFirst")} = 0 or ${projects.activeDeployId} is null)`,
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

export const deployRepository = ({ orm, commit }: Database) => {
  const { findStatement, listStatement, retainedStatement, manifestsStatement, lastIdStatement } =
    readStatements(orm);
  const { insertStatement, activateNewestStatement, activateStatement, pruneStatement, removeStatement } =
    writeStatements(orm);

  /** A deploy of this project. */
  const find = async (projectId: number, id: number): Promise<Deploy | undefined> =>
    findStatement.get({ projectId, id });

  return {
    find,
    /**
     * Records a deploy and makes it the served one, in one atomic step. The newest `MAX_RETAINED` that succeeded stay, and the
     * served one.
     * @param isFirst record it only if the project serves no deploy yet
     * @returns undefined if the project was deleted, or if `isFirst` does not hold
     */
    async succeed(
      deploy: SucceededUpload,
      { isFirst }: { isFirst: boolean } = { isFirst: false },
    ): Promise<Deploy | undefined> {
      const values = { ...deploy, status: "succeeded", reason: null, isFirst: Number(isFirst) };
      const [[row]] = await commit([
        { query: insertStatement, values },
        { query: activateNewestStatement, values },
        { query: pruneStatement, values },
      ]);
      return row;
    },
    /** Records a refused upload. The served deploy stays. The newest `MAX_RETAINED` that failed stay. */
    async fail(deploy: FailedUpload): Promise<Deploy | undefined> {
      const values = { ...deploy, status: "failed", manifest: null, files: 0, bytes: 0, isFirst: 0 };
      const [[row]] = await commit([
        { query: insertStatement, values },
        { query: pruneStatement, values },
      ]);
      return row;
    },
    /** Newest first, with ids below `before`. */
    async list(page: { projectId: number; before: number; limit: number }): Promise<Deploy[]> {
      return listStatement.all({ ...page });
    },
    /** Makes a deploy the served one; undefined if it did not succeed or does not exist. */
    async activate(projectId: number, id: number): Promise<Deploy | undefined> {
      const [rows] = await commit([{ query: activateStatement, values: { projectId, id } }]);
      return rows.length > 0 ? find(projectId, id) : undefined;
    },
    /** The deploys that stay when the next one succeeds: the newest `MAX_RETAINED - 1` that succeeded. */
    async listRetained(projectId: number): Promise<Pick<Deploy, "manifest" | "files" | "bytes">[]> {
      return retainedStatement.all({ projectId });
    },
    /** Deletes a deploy; false if it is the served one, or does not exist. */
    async remove(projectId: number, id: number): Promise<boolean> {
      const [rows] = await commit([{ query: removeStatement, values: { projectId, id } }]);
      return rows.length > 0;
    },
    /** True if no project ever had a deploy, not even a failed or deleted one. */
    async isUntouched(): Promise<boolean> {
      return lastIdStatement.get() === undefined;
    },
    /** The hashes of all manifests. */
    async manifests(): Promise<string[]> {
      return manifestsStatement
        .all()
        .flatMap(({ manifest }) => (manifest !== null && isHash(manifest) ? [manifest] : []));
    },
  };
};

export type DeployRepository = ReturnType<typeof deployRepository>;
