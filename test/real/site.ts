import { expect } from "bun:test";
import { tarGzOf } from "../platform/deploys/archives.ts";
import { zonesOf } from "../platform/dns-checks/cases.ts";
import type { Zones } from "../support/zones.ts";
import type { Server } from "./support.ts";

/** Uploads a site. */
export const upload = (
  { call }: Pick<Server, "call">,
  slug: string,
  files: Record<string, string>,
): Promise<Response> =>
  call(`/platform/projects/${slug}/deploys`, {
    method: "POST",
    headers: { "content-type": "application/gzip" },
    body: tarGzOf(Object.entries(files).map(([name, content]) => ({ name, content }))),
  });

/** Creates a project on Pro with a deploy. @returns the CNAME target of its domains */
export const publish = async (
  server: Server,
  slug: string,
  {
    name = slug,
    files = { "index.html": "<h1>Docs</h1>" },
  }: { name?: string; files?: Record<string, string> } = {},
): Promise<string> => {
  const { target } = await server.send<{ target: string }>("/platform/projects", { slug, name, plan: "pro" });
  expect((await upload(server, slug, files)).status).toBe(201);
  return target;
};

/** A zone with its name server on this machine. */
export const zone = (name: string, ...lines: string[]): Zones => ({
  [name]: [`${name} NS ns.${name}`, `ns.${name} A 127.0.0.1`, ...lines],
});

/** The zones of the DNS cases, in which targets of projects lead to this machine. */
export const zonesWith = (target: string, ...others: string[]): Zones => ({
  ...zonesOf({ usual: target, forbidden: "forbidden.pages.test", wide: "wide.pages.test" }),
  ...zone("pages.test", ...[target, ...others].map((name) => `${name} A 127.0.0.1`)),
});
