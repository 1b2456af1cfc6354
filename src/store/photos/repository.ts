import { sql } from "drizzle-orm";
import { changesBetween, record } from "../../data/db/audit.ts";
import { commitDecided, type Statement } from "../../data/db/commit.ts";
import { type StoreResponse, storing } from "../../data/db/kept-responses.ts";
import type { Database } from "../../data/db/open.ts";
import { pets } from "../../data/db/schema/pets.ts";
import { petPhotos } from "../../data/db/schema/profiles.ts";
import { columnsOf, insert, statement, update, value, valuesFor } from "../../data/db/statement.ts";
import type { Act } from "../../lib/actor.ts";
import { partChanged } from "../pets/events/part-queries.ts";
import { MAX_PHOTOS, type Photo, type PhotoContent } from "./photo.ts";

export type { StoreResponse } from "../../data/db/kept-responses.ts";

/** The animal of a photo. */
type Animal = Pick<typeof pets.$inferSelect, "name">;

type Stored = typeof petPhotos.$inferSelect;

const toPhoto = ({ files, ...row }: Stored): Photo => ({
  ...row,
  files: JSON.parse(files) as Photo["files"],
});

const IS_PET = sql`${pets.id} = ${value("petId")}`;
const OF_PET = sql`${petPhotos.petId} = ${value("petId")}`;
const COUNT = sql`(SELECT count(*) FROM ${petPhotos} WHERE ${OF_PET})`;

const ANIMAL = statement<Animal>(sql`SELECT ${columnsOf(pets, "name")} FROM ${pets} WHERE ${IS_PET}`);

const LIST = statement(sql`
  SELECT ${columnsOf(petPhotos)}
  FROM ${petPhotos}
  WHERE ${OF_PET}
  ORDER BY ${petPhotos.position}, ${petPhotos.id}`).as(toPhoto);

const LIST_MANY = statement(sql`
  SELECT ${columnsOf(petPhotos)}
  FROM ${petPhotos}
  WHERE ${petPhotos.petId} IN (SELECT value FROM json_each(${value("petIds")}))
  ORDER BY ${petPhotos.position}, ${petPhotos.id}`).as(toPhoto);

const FIND = statement(sql`
  SELECT ${columnsOf(petPhotos)} FROM ${petPhotos} WHERE ${petPhotos.id} = ${value("id")} AND ${OF_PET}`).as(
  toPhoto,
);

const INSERT = statement(sql`
  ${insert(petPhotos, {
    petId: pets.id,
    position: COUNT,
    ...valuesFor("alt", "width", "height", "placeholder", "manifest", "files"),
    createdAt: value("now"),
  })}
  FROM ${pets}
  WHERE ${IS_PET} AND ${COUNT} < ${MAX_PHOTOS}
  RETURNING ${columnsOf(petPhotos)}`).as(toPhoto);

const UPDATE = statement(sql`
  ${update(petPhotos, valuesFor("alt", "position"))} WHERE ${petPhotos.id} = ${value("id")}`);

const DELETE = statement(sql`DELETE FROM ${petPhotos} WHERE ${petPhotos.id} = ${value("id")}`);

/** A change or a deletion of one photo. */
interface Edit<After = Photo | undefined> {
  before: Photo;
  /** Undefined after a deletion. */
  after: After;
  /** All photos of the animal in their order after it. */
  order: Photo[];
}

/** The statements of an edit: none if it changes nothing. */
const statementsOf = ({ before, after, order }: Edit, { name: label }: Animal, act: Act): Statement[] => {
  const { id, petId: parent } = before;
  const changes = changesBetween(before, after ?? {}, ["alt", "position"]);
  if (after && changes.length === 0) return [];
  return [
    ...(after ? [] : [DELETE.with({ id })]),
    ...order.flatMap((photo, position) =>
      photo !== after && photo.position === position
        ? []
        : [UPDATE.with({ id: photo.id, alt: photo.alt, position })],
    ),
    ...partChanged(parent, "photos", act.now),
    ...record(
      act,
      after
        ? { action: "photo.changed", id, parent, label, changes }
        : { action: "photo.deleted", id, parent, label },
    ),
  ];
};

export const photoRepository = ({ client, commit }: Database) => ({
  hasAnimal: (petId: number): boolean => ANIMAL.get(client, { petId }) !== undefined,
  /** An animal's photos, in their order. */
  list: (petId: number): Photo[] => LIST.all(client, { petId }),
  /** The photos of animals, each animal's in their order. */
  listMany: (petIds: readonly number[]): Photo[] => LIST_MANY.all(client, { petIds: JSON.stringify(petIds) }),
  find: (petId: number, id: number): Photo | undefined => FIND.get(client, { petId, id }),
  /** Adds a photo after the others, in one atomic step; undefined if the animal is gone, or has as many as it can have. */
  async add(
    petId: number,
    { files, ...photo }: PhotoContent,
    act: Act,
    keep?: StoreResponse<Photo>,
  ): Promise<Photo | undefined> {
    const values = { petId, ...photo, files: JSON.stringify(files), now: act.now };
    const [[animal], [row]] = await commit(
      [ANIMAL.with({ petId }), INSERT.with(values)],
      ([[animal], [added]]) =>
        animal && added
          ? [
              ...partChanged(petId, "photos", act.now),
              ...record(act, { action: "photo.added", id: added.id, parent: petId, label: animal.name }),
              ...storing(keep, added),
            ]
          : [],
    );
    return animal && row;
  },
  /** Writes the edit that `make` makes of an animal's photos, in one atomic step. Nothing is written if it throws. */
  write: <After extends Photo | undefined>(
    petId: number,
    make: (photos: readonly Photo[]) => Edit<After>,
    act: Act,
  ): Promise<After> =>
    commitDecided(commit, (connection) => {
      const edit = make(LIST.all(connection, { petId }));
      return [edit.after, ...statementsOf(edit, ANIMAL.get(connection, { petId }) as Animal, act)];
    }),
});
