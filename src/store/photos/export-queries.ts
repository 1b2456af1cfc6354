import { sql } from "drizzle-orm";
import type { Database } from "../../data/db/open.ts";
import { pets } from "../../data/db/schema/pets.ts";
import { petPhotos } from "../../data/db/schema/profiles.ts";
import { columnsOf, statement, value } from "../../data/db/statement.ts";
import { attempt } from "../../lib/attempt.ts";
import { isOriginal, type Photo, type PhotoFile } from "./photo.ts";

/** A photo as it is exported, with the name and the status of its animal. */
interface ExportedPhoto
  extends
    Pick<Photo, "id" | "petId" | "position" | "alt">,
    Pick<typeof pets.$inferSelect, "name" | "status"> {
  /** The original if it is stored, else the largest size; undefined if the row is damaged. */
  file: (PhotoFile & { name: string }) | undefined;
}

/** @param stored the sizes in ascending order */
const bestOf = (stored: string): ExportedPhoto["file"] => {
  const files = Object.entries(attempt(() => JSON.parse(stored) as Photo["files"]) ?? {});
  const best = files.find(([name]) => isOriginal(name)) ?? files.findLast(([name]) => name.endsWith(".webp"));
  return best && { name: best[0], ...best[1] };
};

const PAGE = statement(sql`
  SELECT ${columnsOf(petPhotos, "id", "petId", "position", "alt", "files")}, ${columnsOf(pets, "name", "status")}
  FROM ${petPhotos}
  JOIN ${pets} ON ${pets.id} = ${petPhotos.petId}
  WHERE ${petPhotos.petId} IN (
    SELECT DISTINCT ${petPhotos.petId} FROM ${petPhotos}
    WHERE ${petPhotos.petId} > ${value("after")} ORDER BY ${petPhotos.petId} LIMIT 20)
  ORDER BY ${petPhotos.petId}, ${petPhotos.position}, ${petPhotos.id}`).as(
  ({ files, ...photo }: Omit<ExportedPhoto, "file"> & { files: string }): ExportedPhoto => ({
    ...photo,
    file: bestOf(files),
  }),
);

/** All photos, ascending by animal and then in their order, in pages that each have the state of their time. */
export function* exportedPhotos({ client }: Database): Generator<ExportedPhoto> {
  for (let after = 0; ;) {
    const photos = PAGE.all(client, { after });
    yield* photos;
    const last = photos.at(-1);
    if (!last) return;
    after = last.petId;
  }
}
