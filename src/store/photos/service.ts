import type { Context } from "../../data/context.ts";
import type { Actor } from "../../lib/actor.ts";
import { Fault } from "../../lib/errors.ts";
import { IMAGE_TYPES, processImage } from "./image.ts";
import {
  MAX_PHOTOS,
  type Photo,
  type PhotoChange,
  type PhotoFile,
  type PhotoStorage,
  type PhotoUpload,
} from "./photo.ts";
import { photoRepository, type StoreResponse } from "./repository.ts";
import { type ReceivedPhoto, readUpload } from "./upload.ts";

/** The photo, if it still is `expected`. @throws Fault not_found, precondition_failed */
const requirePhoto = (photo: Photo | undefined, expected?: Photo): Photo => {
  if (!photo) throw new Fault("not_found", "The animal has no photo with this id.");
  if (expected && expected.revision !== photo.revision) throw new Fault("precondition_failed");
  return photo;
};

/** The photo among those of an animal, and the others. @throws Fault not_found, precondition_failed */
const take = (photos: readonly Photo[], id: number, expected: Photo | undefined) => {
  const before = requirePhoto(
    photos.find((one) => one.id === id),
    expected,
  );
  return { before, others: photos.filter((one) => one !== before) };
};

export const openPhotos = ({ config, database, clock }: Context, storage: PhotoStorage) => {
  const photos = photoRepository(database);

  /** An animal's photos, in their order. @throws Fault not_found */
  const list = (petId: number): Photo[] => {
    if (!photos.hasAnimal(petId)) throw new Fault("not_found", "There is no animal with this id.");
    return photos.list(petId);
  };

  /** @throws Fault not_found, photo_limit_reached */
  const assertRoom = (petId: number): void => {
    if (list(petId).length >= MAX_PHOTOS) throw new Fault("photo_limit_reached");
  };

  /** @throws Fault not_found */
  const get = (petId: number, id: number): Photo => requirePhoto(photos.find(petId, id));

  return {
    get,
    list,
    /** The photos of animals by their ids, each animal's in their order. */
    listMany: (petIds: readonly number[]) => Map.groupBy(photos.listMany(petIds), ({ petId }) => petId),
    /**
     * Receives an upload, and calls `use` with its photo when its turn comes.
     * @throws Fault not_found, photo_limit_reached, invalid_request, payload_too_large, request_timeout, storage_unavailable
     */
    receive<Result>(
      petId: number,
      upload: PhotoUpload,
      use: (photo: ReceivedPhoto) => Promise<Result>,
    ): Promise<Result> {
      assertRoom(petId);
      return storage.receive(upload, async (path) => use(await readUpload(path, upload)));
    },
    /**
     * Stores a photo after the animal's others. It is recorded once all of its files are on disk.
     * @throws Fault invalid_image, not_found, photo_limit_reached, storage_unavailable
     */
    async add(
      petId: number,
      { bytes, alt }: ReceivedPhoto,
      actor: Actor,
      keep?: StoreResponse<Photo>,
    ): Promise<Photo> {
      const { files, format, ...image } = await processImage(bytes);
      const { width, height } = image;
      const name = `original.${format.replace("jpeg", "jpg")}`;
      const original = { name, type: IMAGE_TYPES[format], bytes, width, height };
      const stored = config.keepOriginals ? [...files, original] : files;
      const photo = await storage.store(stored, (content) =>
        photos.add(petId, { ...image, ...content, alt }, { actor, now: clock.now() }, keep),
      );
      if (photo) return photo;
      assertRoom(petId);
      throw new Error("a photo was refused without a reason");
    },
    /** @throws Fault not_found, precondition_failed */
    change(petId: number, id: number, change: PhotoChange, actor: Actor, expected?: Photo): Promise<Photo> {
      const make = (all: readonly Photo[]) => {
        const { before, others } = take(all, id, expected);
        const position = Math.min(change.position ?? before.position, others.length);
        const after = { ...before, alt: change.alt ?? before.alt, position };
        return { before, after, order: others.toSpliced(position, 0, after) };
      };
      return photos.write(petId, make, { actor, now: clock.now() });
    },
    /** The next sweep removes its files. @throws Fault not_found, precondition_failed */
    remove(petId: number, id: number, actor: Actor, expected?: Photo): Promise<undefined> {
      const make = (all: readonly Photo[]) => {
        const { before, others } = take(all, id, expected);
        return { before, after: undefined, order: others };
      };
      return photos.write(petId, make, { actor, now: clock.now() });
    },
    /** @throws Fault not_found */
    getFile(petId: number, id: number, name: string): PhotoFile {
      const { files } = get(petId, id);
      const file = Object.hasOwn(files, name) ? files[name] : undefined;
      if (!file)
        throw new Fault(
          "not_found",
          `The photo has no file of this name; it has ${Object.keys(files).join(", ")}.`,
        );
      return file;
    },
    respond: storage.respond,
  };
};

export type PhotoService = ReturnType<typeof openPhotos>;
