import type { STORED_STAGES } from "../../src/platform/domains/stage.ts";
import type { Store } from "../support/store.ts";
import { tarGzOf } from "../platform/deploys/archives.ts";

/** Creates a project with a deploy. */
export const addSite = async (
  store: Store,
  slug: string,
  files: Record<string, string> = { "index.html": `home of ${slug}` },
  plan = "pro",
): Promise<void> => {
  await store.call("POST", "/platform/projects", { json: { slug, name: slug, plan } });
  await deploy(store, slug, files);
};

export const deploy = async (store: Store, slug: string, files: Record<string, string>): Promise<number> => {
  const body = tarGzOf(Object.entries(files).map(([name, content]) => ({ name, content })));
  const headers = { "content-type": "application/gzip" };
  const response = await store.call("POST", `/platform/projects/${slug}/deploys`, { body, headers });
  if (response.status !== 201)
    throw new Error(`deploying failed: ${response.status} ${await response.text()}`);
  return ((await response.json()) as { id: number }).id;
};

const INSERT_DOMAIN = `
  insert into domains (project_id, hostname, stage, role, created_at, waiting_since, verified_at, findings)
  select id, ?2, ?3, ?4, 0, 0, 0, '[]' from projects where slug = ?1`;

/** Inserts a domain that has reached `stage`. */
export const addDomain = (
  { database: { client } }: Store,
  slug: string,
  hostname: string,
  {
    stage = "live",
    role = "served",
  }: { stage?: (typeof STORED_STAGES)[number]; role?: "primary" | "served" | "redirect" } = {},
): void => void client.run(INSERT_DOMAIN, [slug, hostname, stage, role]);
