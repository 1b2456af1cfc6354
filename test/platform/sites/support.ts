import { rmSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unpack } from "../../../src/platform/deploys/archive.ts";
import { openBlobs } from "../../../src/platform/deploys/blobs.ts";
import { UNPACK_LIMITS } from "../../../src/platform/deploys/archive-rules.ts";
import { readRules } from "../../../src/platform/deploys/rules/site-rules.ts";
import { storeSite } from "../../../src/platform/deploys/store-site.ts";
import { type ResponseCache, responseCache } from "../../../src/platform/sites/file-responder.ts";
import { readChecked } from "../../../src/platform/sites/responses.ts";
import { openSite } from "../../../src/platform/sites/site.ts";
import { tarGzOf } from "../deploys/archives.ts";

/** Stores files as a deploy does, and opens them as a site. */
export const openFiles = async (
  files: Readonly<Record<string, string>>,
  responses: ResponseCache = responseCache(2 ** 20),
) => {
  const root = mkdtempSync(join(tmpdir(), "adoption-store-site-"));
  const file = join(root, "site.tgz");
  await Bun.write(file, tarGzOf(Object.entries(files).map(([name, content]) => ({ name, content }))));
  const blobs = openBlobs(join(root, "blobs"));
  const { manifest } = await storeSite(unpack(file, UNPACK_LIMITS), blobs);
  const rules = await readRules(manifest, (one) => readChecked(blobs, one, one.hash));
  const site = openSite({ key: "1", manifest, rules, blobs, responses });
  return {
    ask: async (path: string, headers: Record<string, string> = {}, method = "GET", query = "") =>
      site.respond({ method, path, query, headers: new Headers(headers), inParts: false }),
    close: () => rmSync(root, { recursive: true, force: true }),
  };
};
export type OpenFiles = Awaited<ReturnType<typeof openFiles>>;
