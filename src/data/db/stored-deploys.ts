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

const NAMED = {
  deploys: `SELECT slug || ' ' || deploys.id AS name, manifest FROM deploys JOIN projects ON projects.id = project_id
    WHERE manifest IS NOT NULL ORDER BY slug, deploys.id`,
  pet_photos:
    "SELECT 'photo ' || id || ' of animal ' || pet_id AS name, manifest FROM pet_photos ORDER BY id",
};

/** Deploys that can be served, and photos, each with its name for a person. */
export const servedFiles = (client: Client): { name: string; manifest: string }[] =>
  Object.entries(NAMED).flatMap(([table, named]) =>
    hasTable(client, table) ? client.query<{ name: string; manifest: string }, []>(named).all() : [],
  );
