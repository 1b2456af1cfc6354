import type { petPhotos } from "../../data/db/schema/profiles.ts";
import type { FileUpload } from "../../http/body.ts";
import type { ImageFile } from "./image.ts";

/** Photos of one animal. */
export const MAX_PHOTOS = 30;

/** Bytes of one upload, whether it is the photo or a form with it. */
export const MAX_PHOTO_BYTES = 25 * 2 ** 20;

/** Bytes of all uploads that arrive or wait for their turn. Beyond it, clients are asked to try again. */
export const MAX_QUEUED_BYTES = 2 * 2 ** 30;

/** Characters of the text that describes a photo. */
export const MAX_ALT_LENGTH = 500;

/** True for the name of a file that has the position of the camera. */
export const isOriginal = (name: string): boolean => name.startsWith("original.");

/** A stored file of a photo. */
export interface PhotoFile extends Pick<ImageFile, "width" | "height" | "type"> {
  /** SHA-256, hexadecimal. */
  hash: string;
  /** Bytes. */
  size: number;
}

/** A photo of an animal, with its files by name. */
export type Photo = Omit<typeof petPhotos.$inferSelect, "files"> & { files: Record<string, PhotoFile> };

/** The columns of a new photo that its image determines. */
export type PhotoContent = Pick<Photo, "alt" | "width" | "height" | "placeholder" | "manifest" | "files">;

export interface PhotoChange {
  alt?: string | undefined;
  /** From 0. One beyond the last photo is the last position. */
  position?: number | undefined;
}

/** A photo that arrives. */
export interface PhotoUpload extends FileUpload {
  contentType: string;
  /** The text that describes it, unless a form has it. */
  alt: string | undefined;
}

/** Stores the files of photos. */
export interface PhotoStorage {
  /**
   * Writes an upload to a file, and calls `use` with its path. One runs at a time, and the others wait.
   * @throws Fault payload_too_large, request_timeout, invalid_request; storage_unavailable if too many wait or the disk is full
   */
  receive<Result>(upload: PhotoUpload, use: (path: string) => Promise<Result>): Promise<Result>;
  /**
   * Stores files, and calls `record` once they are on disk, and in the object store if there is one. No sweep removes them
   * before it has ended.
   * @throws Fault storage_unavailable; an error of `record`
   */
  store<Result>(
    files: readonly ImageFile[],
    record: (stored: Pick<Photo, "manifest" | "files">) => Promise<Result>,
  ): Promise<Result>;
  /** The response with a whole file. @throws Fault damaged_file, storage_unavailable */
  respond(file: PhotoFile): Promise<Response>;
}
