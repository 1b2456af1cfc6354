import { t } from "elysia";
import { checked, Count, Id, IntegerFrom, ResponseText, Time } from "../../http/schemas.ts";
import { isLine } from "../../lib/text.ts";
import { formatTime } from "../../lib/time.ts";
import { IMAGE_TYPES } from "./image.ts";
import { isOriginal, MAX_ALT_LENGTH, MAX_PHOTOS, type Photo as StoredPhoto } from "./photo.ts";

/** The media types of an upload. */
export const UPLOAD_TYPES = [
  // First, because generators of clients make the request of the first one.
  "multipart/form-data",
  ...Object.values(IMAGE_TYPES),
  "application/octet-stream",
];

const Alt = checked<string>(
  "PhotoAlt",
  {
    type: "string",
    maxLength: MAX_ALT_LENGTH,
    description: "Describes the photo for people who can't see it. Empty until someone adds a description.",
    examples: ["Bella sleeps on a sofa"],
  },
  `must be a line of at most ${MAX_ALT_LENGTH} characters, without control or invisible characters`,
  (value) => value === "" || isLine(value, MAX_ALT_LENGTH),
);

const Pixels = (description: string, example: number) => Count(`${description}, in pixels.`, example);

export const Photo = t.Object(
  {
    id: Id("Unique identifier, assigned by the service.", 12),
    alt: t.String({ description: "Describes the photo. Empty until someone adds a description." }),
    width: Pixels("Width of the original, upright", 4000),
    height: Pixels("Height of the original, upright", 3000),
    placeholder: ResponseText("A blurred picture as a data URL, to show while the photo loads."),
    position: Count("Place among the animal's photos, from 0.", 0),
    createdAt: Time("When the photo was added.", "2026-11-20T09:30:00.000Z"),
    sizes: t.Array(
      t.Object(
        {
          width: Pixels("Width", 640),
          height: Pixels("Height", 480),
          url: ResponseText("Path of the WebP file."),
        },
        { $id: "PhotoSize" },
      ),
      { description: "The photo in its sizes, as WebP, in ascending order of width." },
    ),
    preview: ResponseText("Path of a JPEG of 1,200 by 630 pixels, for previews of links."),
    original: t.Optional(
      ResponseText(
        "Path of the original. It requires the scope `pets:write`. Absent unless the server keeps originals.",
      ),
    ),
  },
  { $id: "Photo", description: "A photo of an animal." },
);

export const Photos = t.Array(Photo, {
  $id: "Photos",
  maxItems: MAX_PHOTOS,
  description: "The photos of an animal, in their order.",
});

export const PhotoChange = t.Object(
  {
    alt: t.Optional(Alt),
    position: t.Optional(
      IntegerFrom(0, MAX_PHOTOS - 1, {
        description: "The new place, from 0. The photos after it move. A place beyond the last is the last.",
        examples: [0],
      }),
    ),
  },
  {
    $id: "PhotoChange",
    additionalProperties: false,
    description: "The fields to change. Absent fields keep their value.",
  },
);

export const AddQuery = t.Object({ alt: t.Optional(Alt) }, { additionalProperties: false });

export const fromPhoto = ({
  id,
  petId,
  alt,
  width,
  height,
  placeholder,
  position,
  createdAt,
  files,
}: StoredPhoto) => {
  const urlOf = (name: string) => `/v1/pets/${petId}/photos/${id}/${name}`;
  const original = Object.keys(files).find(isOriginal);
  const sizes = Object.entries(files).filter(([name]) => name.endsWith(".webp") && name !== original);
  return {
    id,
    alt,
    width,
    height,
    placeholder,
    position,
    createdAt: formatTime(createdAt),
    sizes: sizes.map(([name, file]) => ({ width: file.width, height: file.height, url: urlOf(name) })),
    preview: urlOf("preview.jpg"),
    ...(original !== undefined && { original: urlOf(original) }),
  };
};
