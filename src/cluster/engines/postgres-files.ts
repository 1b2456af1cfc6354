import type { LogFiles } from "../log.ts";
import type { PostgresPrimary } from "./postgres-primary.ts";

/** Small files in a table. */
export const postgresFiles = (primary: PostgresPrimary, name: string): LogFiles => ({
  async put(file, content) {
    await primary.run(
      (sql) => sql`
      INSERT INTO adoption_store_file (name, file, content) VALUES (${name}, ${file}, ${content})
      ON CONFLICT (name, file) DO UPDATE SET content = excluded.content
    `,
    );
  },
  async get(file) {
    const [row] = await primary.run(
      async (sql) =>
        (await sql`SELECT content FROM adoption_store_file WHERE name = ${name} AND file = ${file}`) as {
          content: Buffer;
        }[],
    );
    return row && new Uint8Array(row.content);
  },
  async list(prefix) {
    const rows = await primary.run(
      async (sql) =>
        (await sql`
          SELECT file FROM adoption_store_file WHERE name = ${name} AND starts_with(file, ${prefix})
          ORDER BY file COLLATE "C"
        `) as { file: string }[],
    );
    return rows.map(({ file }) => file);
  },
  async remove(files) {
    for (const file of files)
      await primary.run(
        (sql) => sql`DELETE FROM adoption_store_file WHERE name = ${name} AND file = ${file}`,
      );
  },
});
