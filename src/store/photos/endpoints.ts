import { t } from "elysia";
import { assertScope } from "../../http/authorization.ts";
import { uploadOf } from "../../http/body.ts";
import { type Endpoints, endpoints } from "../../http/endpoint.ts";
import { etagOf, findExpected, isNotModified, jsonWithEtag, keyedNotModified } from "../../http/etag.ts";
import type { Macros } from "../../http/macros.ts";
import { FileContent, IdInPath } from "../../http/schemas.ts";
import { Fault } from "../../lib/errors.ts";
import type { WithoutIdleTimeout } from "../../lib/idle-timeout.ts";
import { AddQuery, fromPhoto, Photo, PhotoChange, Photos, UPLOAD_TYPES } from "./model.ts";
import { isOriginal, type Photo as StoredPhoto } from "./photo.ts";
import type { PhotoService } from "./service.ts";

const FIRST = {
  id: 12,
  alt: "Bella sleeps on a sofa",
  width: 4000,
  height: 3000,
  placeholder: "data:image/webp;base64,UklGRiQAAABXRUJQVlA4IBgAAAAwAQCdASoBAAEAAgA0JaQAA3AA/vuUAAA=",
  position: 0,
  createdAt: "2026-11-20T09:30:00.000Z",
  sizes: [320, 640, 1280, 1920].map((width) => ({
    width,
    height: width * 0.75,
    url: `/v1/pets/7/photos/12/${width}.webp`,
  })),
  preview: "/v1/pets/7/photos/12/preview.jpg",
};

/** An address never changes its content: ids are not used again, and no photo is replaced. */
const IMMUTABLE = "private, max-age=31536000, immutable";

const petId = IdInPath("Id of the animal.");
const photoId = IdInPath("Id of the photo.");

const jsonOf = (photo: StoredPhoto): string => JSON.stringify(fromPhoto(photo));
const etagOfPhoto = (photo: StoredPhoto): string => etagOf(jsonOf(photo));

/** @throws Fault unsupported_media_type */
const contentTypeOf = ({ headers }: Request): string => {
  const contentType = headers.get("content-type") ?? "";
  const accept = UPLOAD_TYPES.join(", ");
  const type = contentType.replace(/\s*;.*/, "").toLowerCase();
  // The content decides: an image of another format gets advice.
  if (!type.startsWith("image/") && !UPLOAD_TYPES.includes(type))
    throw new Fault("unsupported_media_type", `The photo must be sent as one of ${accept}.`, { accept });
  return contentType;
};

const reads = ({ add }: Endpoints, photos: PhotoService) => {
  add("GET /v1/pets/:petId/photos", {
    id: "listPhotos",
    summary: "List the photos of an animal",
    description: "Returns all photos of an animal, in their order.",
    params: { petId },
    returns: [Photos, "The photos.", [FIRST]],
    response: { headers: ["ETag"] },
    conditions: ["If-None-Match"],
    run: ({ params, headers }) =>
      jsonWithEtag(JSON.stringify(photos.list(params.petId).map(fromPhoto)), headers),
  });
  add("GET /v1/pets/:petId/photos/:photoId", {
    id: "getPhoto",
    summary: "Fetch one photo of an animal",
    description: "Returns the text, the place and the files of a photo.",
    params: { petId, photoId },
    returns: [Photo, "The photo.", FIRST],
    response: { headers: ["ETag"] },
    conditions: ["If-None-Match"],
    run: ({ params, headers }) => jsonWithEtag(jsonOf(photos.get(params.petId, params.photoId)), headers),
  });
  add("GET /v1/pets/:petId/photos/:photoId/:file", {
    id: "getPhotoFile",
    summary: "Fetch a file of a photo",
    description:
      "Returns a photo in one of its sizes, or its preview. The content of an address never changes, so a client may keep it for a year. The original requires the scope `pets:write`.",
    params: { petId, photoId, file: t.String({ description: "Name of the file.", examples: ["640.webp"] }) },
    returns: [FileContent, "The file."],
    response: { headers: ["ETag"], binaryAs: ["image/webp", "image/jpeg"] },
    conditions: ["If-None-Match"],
    run: async ({ params, headers, caller }) => {
      if (isOriginal(params.file)) assertScope(caller, "pets:write");
      const file = photos.getFile(params.petId, params.photoId, params.file);
      const etag = `"${file.hash}"`;
      const response = isNotModified(headers, etag) ? keyedNotModified(etag) : await photos.respond(file);
      response.headers.set("cache-control", IMMUTABLE);
      return response;
    },
  });
};

const writes = ({ add }: Endpoints, photos: PhotoService, withoutIdleTimeout: WithoutIdleTimeout) => {
  add("POST /v1/pets/:petId/photos", {
    id: "addPhoto",
    scope: "pets:write",
    summary: "Add a photo to an animal",
    description:
      "Adds a JPEG, PNG or WebP, or the first frame of a GIF, after the animal's other photos. Send the file itself, or a form (`multipart/form-data`) with one file and the optional field `alt`. A file has at most 25 MB and 50 megapixels.\n\nThe service stores the photo in up to four sizes and a preview, upright and without the metadata of the camera. It discards the original unless `KEEP_ORIGINALS` is set. Photos are processed one at a time. While too many wait, the service responds with `storage_unavailable`.",
    params: { petId },
    query: AddQuery,
    uploads: UPLOAD_TYPES,
    idempotent: true,
    status: 201,
    returns: [Photo, "The photo is stored.", FIRST],
    response: { headers: ["Location", "ETag"] },
    faults: ["invalid_image", "photo_limit_reached"],
    run: ({ params, query, request, caller, once }) => {
      const upload = {
        ...uploadOf(request, caller),
        contentType: contentTypeOf(request),
        alt: query.alt,
      };
      const headersOf = (photo: StoredPhoto) => ({
        location: `/v1/pets/${params.petId}/photos/${photo.id}`,
        etag: etagOfPhoto(photo),
      });
      return withoutIdleTimeout(request, () =>
        photos.receive(params.petId, upload, (photo) =>
          once({ status: 201, body: fromPhoto, headers: headersOf, content: photo.digest }, (keep) =>
            photos.add(params.petId, photo, caller, keep),
          ),
        ),
      );
    },
  });
  add("PATCH /v1/pets/:petId/photos/:photoId", {
    id: "changePhoto",
    scope: "pets:write",
    summary: "Describe or move a photo",
    description:
      "Applies a JSON merge patch (RFC 7396). A new position moves the photo there, and the photos in between by one.",
    params: { petId, photoId },
    reads: "json or merge patch",
    body: PhotoChange,
    bodyExample: { alt: "Bella sleeps on a sofa", position: 0 },
    returns: [Photo, "The changed photo.", FIRST],
    response: { headers: ["ETag"] },
    conditions: ["If-Match"],
    faults: ["precondition_failed"],
    run: async ({ params, body, headers, caller, set }) => {
      const find = () => photos.get(params.petId, params.photoId);
      const expected = await findExpected(headers, find, etagOfPhoto);
      const photo = await photos.change(params.petId, params.photoId, body, caller, expected);
      set.headers["etag"] = etagOfPhoto(photo);
      return fromPhoto(photo);
    },
  });
  add("DELETE /v1/pets/:petId/photos/:photoId", {
    id: "deletePhoto",
    scope: "pets:write",
    summary: "Delete a photo",
    description:
      "Deletes a photo. Its files are removed within an hour from the server, and within a day and an hour from an object store.",
    params: { petId, photoId },
    returns: "The photo is deleted.",
    conditions: ["If-Match"],
    faults: ["precondition_failed"],
    run: async ({ params, headers, caller }) => {
      const find = () => photos.get(params.petId, params.photoId);
      const expected = await findExpected(headers, find, etagOfPhoto);
      await photos.remove(params.petId, params.photoId, caller, expected);
    },
  });
};

/** The JSON forms of animals' photos. */
export const photosOf =
  ({ listMany }: PhotoService) =>
  (petIds: readonly number[]) => {
    const found = listMany(petIds);
    return (petId: number) => (found.get(petId) ?? []).map(fromPhoto);
  };

/** Photos of animals, under `/v1/pets/{petId}/photos`. */
export const photoEndpoints = (
  photos: PhotoService,
  { macros, withoutIdleTimeout }: { macros: Macros; withoutIdleTimeout: WithoutIdleTimeout },
) => {
  const room = endpoints({ macros, tag: "photos", scope: "pets:read" });
  reads(room, photos);
  writes(room, photos, withoutIdleTimeout);
  return room.app;
};
