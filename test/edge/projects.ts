import type { Store } from "../support/store.ts";
import { tarGzOf } from "../deploys/archives.ts";

export type Stage =
  "awaiting_dns" | "dns_conflict" | "verified" | "issuing" | "issue_failed" | "live" | "suspended";

/** Makes a project with a deploy. */
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
  const answer = await store.call("POST", `/platform/projects/${slug}/deploys`, { body, headers });
  if (answer.status !== 201) throw new Error(`deploying failed: ${answer.status} ${await answer.text()}`);
  return ((await answer.json()) as { id: number }).id;
};

const ADDED = `
  insert into domains (project_id, hostname, stage, role, created_at, waiting_since, findings)
  select id, ?2, ?3, ?4, 0, 0, '[]' from projects where slug = ?1`;

/** Puts a domain into the database as it is there after its way to `stage`. */
export const addDomain = (
  { database: { client } }: Store,
  slug: string,
  hostname: string,
  { stage = "live", role = "served" }: { stage?: Stage; role?: "primary" | "served" | "redirect" } = {},
): void => void client.run(ADDED, [slug, hostname, stage, role]);
