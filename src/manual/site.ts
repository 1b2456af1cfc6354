import { setImmediate } from "node:timers/promises";
import type { Edition } from "./edition.ts";
import { manualFiles, notFoundPage } from "./manual.ts";

/** The file of a path on a site: `how-to/backups` is the page `how-to/backups.html`. */
const fileOf = (path: string, type: string): string => (type.startsWith("text/html") ? `${path}.html` : path);

/** The manual as the files of a static site, by their path. Between two files other work of the process has its turn. */
export async function* manualSite(edition: Edition): AsyncGenerator<readonly [path: string, text: string]> {
  yield ["404.html", notFoundPage(edition).text];
  for (const [path, make] of manualFiles(edition)) {
    const { type, text } = await make();
    yield [fileOf(path, type), text];
    await setImmediate();
  }
}
