import { readFileSync, rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { dirname, extname, join } from "node:path";
import type { Config } from "../config/config.ts";
import type { Database } from "../data/db/open.ts";
import { attempt } from "../lib/attempt.ts";
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

const HEADING = csvLine(["id", "name", "file", "alt"]);

/** The next line of a list. Its file is that of the animal in its first cell. */
const LINE = /(\d+),(?:"(?:[^"]|"")*"|[^",\n]*),(\1\/\d+\.\w+),(?:"(?:[^"]|"")*"|[^",\n]*)\n/gy;

/** The files of an earlier export, up to the first line that no export has written. */
const listedIn = (list: string): Set<string> => {
  const text = attempt(() => readFileSync(list, "utf8")) ?? "";
  const lines = text.startsWith(HEADING) ? text.slice(HEADING.length).matchAll(LINE) : [];
  return new Set([...lines].map(([, , file = ""]) => file));
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

/** Copies the photos of animals, removes their files from `stale`, and yields the lines of their list. */
async function* copyPhotos(
  database: Database,
  config: Config,
  { directory, status, isStopped }: PhotoSelection,
  exported: PhotoExport,
  stale: Set<string>,
): AsyncGenerator<string> {
  using progress = progressLine();
  const { blobs } = siteStorage(config);
  yield HEADING;
  for (const { id, petId, position, alt, file, ...pet } of exportedPhotos(database)) {
    if (isStopped()) return;
    if (status !== undefined && pet.status !== status) continue;
    const path = `${petId}/${String(position + 1).padStart(2, "0")}${extname(file?.name ?? "")}`;
    const problem = file ? await copyPhoto(blobs, file.hash, join(directory, path)) : "is unknown";
    if (problem === undefined) {
      stale.delete(path);
      progress.show(`Photos: ${++exported.photos}`);
      yield csvLine([String(petId), guardFormula(pet.name), path, guardFormula(alt)]);
    } else exported.damaged.push(`photo ${id} of animal ${petId} (its file ${problem})`);
  }
}

/**
 * Copies the photos of animals to `DIRECTORY/7/01.webp`: the id of the animal, and the place of the photo. `photos.csv` names the
 * animal and the text of each. Files that the previous list names and the new one does not are deleted, unless they are
 * more than half, or only the photos of one status are copied.
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
  const listed = listedIn(list);
  const stale = new Set(listed);
  await replaceDurably(list, `${list}.partial`, (temporary) =>
    writeFile(temporary, copyPhotos(database, config, selection, exported, stale), OWN_FILE),
  );
  // A file may be the last copy of its photo: if the store is another one, or the photo is damaged there.
  const isComplete =
    selection.status === undefined && !selection.isStopped() && exported.damaged.length === 0;
  if (isComplete && stale.size * 2 <= listed.size)
    for (const file of stale) rmSync(join(directory, file), { force: true });
  return exported;
};
