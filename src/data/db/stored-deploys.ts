import type { Database as Client } from "bun:sqlite";
import { hasTable } from "./schema-check.ts";

/** Tables whose rows have files: each names a manifest. */
export const WITH_FILES = ["deploys", "pet_photos"];

export const manifestsOf = (client: Client): string[] =>
  WITH_FILES.filter((table) => hasTable(client, table)).flatMap((table) =>
    client
      .query<{ manifest: string }, []>(`SELECT DISTINCT manifest FROM ${table} WHERE manifest IS NOT NULL`)
      .all()
      .map(({ manifest }) => manifest),
  );

export const servableDeploys = (client: Client): { slug: string; id: number; manifest: string }[] =>
  client
    .query<{ slug: string; id: number; manifest: string }, []>(
      `SELECT slug, deploys.id AS id, manifest FROM deploys JOIN projects ON projects.id = project_id
       WHERE manifest IS NOT NULL ORDER BY slug, deploys.id`,
    )
    .all();
