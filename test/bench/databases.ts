import { Database } from "bun:sqlite";
import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Server, startServer } from "./processes.ts";

/** A DATA_DIR with so many animals. */
export interface DataDir {
  path: string;
  file: string;
  /** A key with all scopes. */
  key: string;
}

// Every fourth animal has no status: pages of the list then hold both forms.
const FILL = `
  insert into pets (name, category_id, status, created_at)
  with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ?1)
  select 'Bella ' || n, n % 50,
    case n % 4 when 0 then 'available' when 1 then 'pending' when 2 then 'sold' end,
    1700000000000 + n
  from numbers`;

// As the service does, which would otherwise do it while it is measured.
const INDEX =
  "update pets_indexed set counted_to = (select max(id) from pets), indexed_to = (select max(id) from pets)";

const at = (path: string): DataDir => ({
  path,
  file: join(path, "adoption-store.db"),
  key: readFileSync(join(path, "admin.key"), "utf8").trim(),
});

const fill = (file: string, animals: number) => {
  const database = new Database(file, { readwrite: true });
  database.run("PRAGMA synchronous=OFF");
  database.run(FILL, [animals]);
  database.run(INDEX);
  // What the service has after a while in operation: nothing in the log, statistics as they are without ANALYZE.
  database.run("PRAGMA wal_checkpoint(TRUNCATE)");
  database.close();
};

/** Creates the project `docs`. */
const createDocs = async ({ url }: Server, { key }: DataDir): Promise<void> => {
  const created = await fetch(`${url}/platform/projects`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ slug: "docs", name: "Documentation", plan: "pro" }),
  });
  if (!created.ok) throw new Error(`the project was not created: ${created.status} ${await created.text()}`);
};

export interface Databases {
  /** A new DATA_DIR with so many animals, for one server. */
  make(name: string, animals: number): DataDir;
}

/** Lets the executable make its own database once; the others are filled copies of it. */
export const databases = async (executable: string, directory: string): Promise<Databases> => {
  const empty = join(directory, "empty");
  const settings = { DATA_DIR: empty, PORT: "0", LOG_LEVEL: "warn" };
  const server = await startServer("first-start", [executable, "serve"], { directory, settings });
  await createDocs(server, at(empty));
  await server.stop();
  return {
    make(name, animals) {
      const path = join(directory, name);
      cpSync(empty, path, { recursive: true });
      if (animals > 0) fill(join(path, "adoption-store.db"), animals);
      return at(path);
    },
  };
};
