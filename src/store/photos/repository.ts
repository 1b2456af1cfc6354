import { sql } from "drizzle-orm";
import { changesBetween, record } from "../../data/db/audit.ts";
import type { Statement } from "../../data/db/commit.ts";
import { type StoreResponse, storing } from "../../data/db/kept-responses.ts";
import type { Database } from "../../data/db/open.ts";
import { pets } from "../../data/db/schema/pets.ts";
import { petPhotos } from "../../data/db/schema/profiles.ts";
import { columnsOf, insert, statement, update, value, valuesFor } from "../../data/db/statement.ts";
import type { Act } from "../../lib/actor.ts";
import { partChanged } from "../pets/events/part-queries.ts";
import { MAX_PHOTOS, type Photo, type PhotoChange, type PhotoContent } from "./photo.ts";

export type { StoreResponse } from "../../data/db/kept-responses.ts";

/** Why nothing was written: the code of a fault. */
export type Refusal = "not_found" | "precondition_failed";

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
interface Edit {
  before: Photo;
  /** Undefined after a deletion. */
  after: Photo | undefined;
  /** All photos of the animal in their order after it. */
  order: Photo[];
}

/** What changing a photo, or deleting it if there is no `change`, does to an animal's photos; or why it is refused. */
const edit = (
  photos: readonly Photo[],
  id: number,
  change: PhotoChange | undefined,
  expected: Photo | undefined,
): Edit | Refusal => {
  const before = photos.find((one) => one.id === id);
  if (!before) return "not_found";
  if (expected && expected.revision !== before.revision) return "precondition_failed";
  const others = photos.filter((one) => one !== before);
  if (!change) return { before, after: undefined, order: others };
  const position = Math.min(change.position ?? before.position, others.length);
  const after = { ...before, alt: change.alt ?? before.alt, position };
  return { before, after, order: others.toSpliced(position, 0, after) };
};

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
  /**
   * Changes a photo in one atomic step, if it still is `expected`, or deletes it without a change.
   * @returns the photo after the change; or why nothing was written
   */
  async write(
    petId: number,
    id: number,
    change: PhotoChange | undefined,
    act: Act,
    expected?: Photo,
  ): Promise<Photo | undefined | Refusal> {
    const editOf = (photos: readonly Photo[]) => edit(photos, id, change, expected);
    const [photos] = await commit([LIST.with({ petId }), ANIMAL.with({ petId })], ([present, [animal]]) => {
      const edited = editOf(present);
      return animal && typeof edited === "object" ? statementsOf(edited, animal, act) : [];
    });
    const edited = editOf(photos);
    return typeof edited === "object" ? edited.after : edited;
  },
});
