import { writeFile } from "node:fs/promises";
import { dirname, extname, join } from "node:path";
import type { Config } from "../config/config.ts";
import type { Database } from "../data/db/open.ts";
import { csvLine, guardFormula } from "../lib/csv-writer.ts";
import { makeDirectories, replaceDurably } from "../lib/durable.ts";
import { assertDirectory } from "../operate/backups/destination.ts";
import { fetchMissing } from "../operate/backups/site-files.ts";
import { siteStorage } from "../operate/backups/site-storage.ts";
import { blobProblem } from "../platform/deploys/blob-check.ts";
import type { Blobs } from "../platform/deploys/blobs.ts";
import type { Selection } from "../store/import-export/export.ts";
import { exportedPhotos } from "../store/photos/export-queries.ts";
import { progressLine } from "./print/output.ts";

/** A new file for this user only. */
const OWN_FILE = { flag: "wx", mode: 0o600 };

/** Copies a photo, unless the file is there. @returns its problem, if it is missing or damaged */
const copyPhoto = async (blobs: Blobs, hash: string, path: string): Promise<string | undefined> => {
  if ((await blobProblem(path, hash)) === undefined) return undefined;
  await fetchMissing(blobs, [hash]);
  const source = blobs.pathOf(hash);
  const problem = await blobProblem(source, hash);
  if (problem !== undefined) return problem;
  makeDirectories(dirname(path));
  await replaceDurably(path, `${path}.partial`, async (temporary) =>
    writeFile(temporary, await Bun.file(source).bytes(), OWN_FILE),
  );
};

interface PhotoSelection extends Pick<Selection, "status"> {
  directory: string;
  isStopped(): boolean;
}

export interface PhotoExport {
  photos: number;
  /** Photos whose stored files are missing or damaged, each with its animal and its problem. */
  damaged: string[];
}

/** Copies the photos of animals, and yields the lines of their list. */
async function* copyPhotos(
  database: Database,
  config: Config,
  { directory, status, isStopped }: PhotoSelection,
  exported: PhotoExport,
): AsyncGenerator<string> {
  using progress = progressLine();
  const { blobs } = siteStorage(config);
  yield csvLine(["id", "name", "file", "alt"]);
  for (const { id, petId, position, alt, file, ...pet } of exportedPhotos(database)) {
    if (isStopped()) return;
    if (status !== undefined && pet.status !== status) continue;
    const path = `${petId}/${String(position + 1).padStart(2, "0")}${extname(file?.name ?? "")}`;
    const problem = file ? await copyPhoto(blobs, file.hash, join(directory, path)) : "is unknown";
    if (problem === undefined) {
      progress.show(`Photos: ${++exported.photos}`);
      yield csvLine([String(petId), guardFormula(pet.name), path, guardFormula(alt)]);
    } else exported.damaged.push(`photo ${id} of animal ${petId} (its file ${problem})`);
  }
}

/**
 * Copies the photos of animals to `DIRECTORY/7/01.webp`: the id of the animal, and the place of the photo. `photos.csv` names the
 * animal and the text of each.
 * @throws OperatorError if they cannot be written there
 */
export const exportPhotos = async (
  database: Database,
  config: Config,
  selection: PhotoSelection,
): Promise<PhotoExport> => {
  const { directory } = selection;
  assertDirectory(directory, config.dataDir, "--photos");
  makeDirectories(directory);
  const exported: PhotoExport = { photos: 0, damaged: [] };
  const list = join(directory, "photos.csv");
  await replaceDurably(list, `${list}.partial`, (temporary) =>
    writeFile(temporary, copyPhotos(database, config, selection, exported), OWN_FILE),
  );
  return exported;
};
