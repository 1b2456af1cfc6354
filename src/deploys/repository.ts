import { and, desc, eq, lt, sql } from "drizzle-orm";
import { insertSelect } from "../db/insert-select.ts";
import type { Database } from "../db/open.ts";
import { deploys, projects } from "../db/schema/projects.ts";
import { isHash } from "./blob-check.ts";

/** An upload of a project. Times are milliseconds UTC. */
export interface Deploy {
  id: number;
  projectId: number;
  status: "succeeded" | "failed";
  /** Why it failed, for who uploaded it. */
  reason: string | null;
  /** The hash of its manifest's blob; null if it failed. */
  manifest: string | null;
  files: number;
  /** Of all files, unpacked. */
  bytes: number;
  /** The key that uploaded it; null: the service itself. */
  keyId: number | null;
  createdAt: number;
}

interface Upload {
  projectId: number;
  keyId: number | null;
  createdAt: number;
}

export interface Succeeded extends Upload {
  manifest: string;
  files: number;
  bytes: number;
}

export interface Failed extends Upload {
  reason: string;
}

export interface DeployRepository {
  /**
   * Records the deploy and makes it the one that is served, in one atomic step; undefined if the project is gone, or
   * if the deploy must be its first and is not. Of those that succeeded the newest `KEPT` stay, and whichever is served.
   */
  succeed(deploy: Succeeded, where?: { isFirst: boolean }): Promise<Deploy | undefined>;
  /** Records an upload that was refused; what is served stays. Of those that failed the newest `KEPT` stay. */
  fail(deploy: Failed): Promise<Deploy | undefined>;
  find(projectId: number, id: number): Promise<Deploy | undefined>;
  /** Newest first, from below `before`. */
  list(page: { projectId: number; before: number; limit: number }): Promise<Deploy[]>;
  /** Makes a deploy that succeeded the one that is served; undefined if it is not such a one. */
  activate(projectId: number, id: number): Promise<Deploy | undefined>;
  /** The deploys that stay when the next one succeeds: the newest `KEPT - 1` that succeeded. */
  listRetained(projectId: number): Promise<Pick<Deploy, "manifest" | "files" | "bytes">[]>;
  /** Removes a deploy; false if it is the one that is served, or does not exist. */
  remove(projectId: number, id: number): Promise<boolean>;
  /** True before the first deploy of any project, whatever became of it. */
  isUntouched(): Promise<boolean>;
  /** The manifests that any deploy needs. */
  manifests(): Promise<string[]>;
}

/** Deploys of a project that are kept, of those that succeeded and of those that failed. */
export const MAX_KEPT = 20;

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

export const deployRepository = ({ orm, commit }: Database): DeployRepository => {
  const value = sql.placeholder;
  /** A row for a project that is still there. */
  const inserted = insertSelect(
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
  const newestActivated = orm
    .update(projects)
    .set({
      activeDeployId: sql`(select max(id) from deploys where project_id = ${projects.id} and status = 'succeeded')`,
    })
    .where(eq(projects.id, value("projectId")))
    .prepare();
  const isThis = and(eq(deploys.projectId, value("projectId")), eq(deploys.id, value("id")));
  const found = orm.select(COLUMNS).from(deploys).where(isThis).limit(1).prepare();
  const listed = orm
    .select(COLUMNS)
    .from(deploys)
    .where(and(eq(deploys.projectId, value("projectId")), lt(deploys.id, value("before"))))
    .orderBy(desc(deploys.id))
    .limit(value("limit"))
    .prepare();
  const activated = orm
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
  const pruned = orm
    .delete(deploys)
    .where(
      and(
        eq(deploys.projectId, value("projectId")),
        sql`${deploys.status} = ${value("status")}`,
        sql`${deploys.id} <= (select id from deploys where project_id = ${value("projectId")}
          and status = ${value("status")} order by id desc limit 1 offset ${MAX_KEPT})`,
        sql`${deploys.id} is not (select active_deploy_id from projects where id = ${value("projectId")})`,
      ),
    )
    .prepare();
  const stayingStatement = orm
    .select({ manifest: deploys.manifest, files: deploys.files, bytes: deploys.bytes })
    .from(deploys)
    .where(and(eq(deploys.projectId, value("projectId")), eq(deploys.status, "succeeded")))
    .orderBy(desc(deploys.id))
    .limit(MAX_KEPT - 1)
    .prepare();
  const removeStatement = orm
    .delete(deploys)
    .where(
      and(
        isThis,
        sql`${deploys.id} is not (select active_deploy_id from projects where id = ${value("projectId")})`,
      ),
    )
    .returning({ id: deploys.id })
    .prepare();
  const needed = orm
    .selectDistinct({ manifest: deploys.manifest })
    .from(deploys)
    .where(eq(deploys.status, "succeeded"))
    .prepare();

  /** Where SQLite keeps the last id that it gave out. */
  const lastId = orm
    .select({ seq: sql<number>`seq` })
    .from(sql`sqlite_sequence`)
    .where(sql`name = 'deploys'`)
    .limit(1)
    .prepare();

  const find = async (projectId: number, id: number) => found.get({ projectId, id });

  return {
    find,
    async succeed(deploy, { isFirst } = { isFirst: false }) {
      const values = { ...deploy, status: "succeeded", reason: null, isFirst: Number(isFirst) };
      const [[row]] = await commit([
        { query: inserted, values },
        { query: newestActivated, values },
        { query: pruned, values },
      ]);
      return row;
    },
    async fail(deploy) {
      const values = { ...deploy, status: "failed", manifest: null, files: 0, bytes: 0, isFirst: 0 };
      const [[row]] = await commit([
        { query: inserted, values },
        { query: pruned, values },
      ]);
      return row;
    },
    async list(page) {
      return listed.all({ ...page });
    },
    async activate(projectId, id) {
      const [rows] = await commit([{ query: activated, values: { projectId, id } }]);
      return rows.length > 0 ? find(projectId, id) : undefined;
    },
    async listRetained(projectId) {
      return stayingStatement.all({ projectId });
    },
    async remove(projectId, id) {
      const [rows] = await commit([{ query: removeStatement, values: { projectId, id } }]);
      return rows.length > 0;
    },
    async isUntouched() {
      return lastId.get() === undefined;
    },
    async manifests() {
      return needed
        .all()
        .flatMap(({ manifest }) => (manifest !== null && isHash(manifest) ? [manifest] : []));
    },
  };
};
