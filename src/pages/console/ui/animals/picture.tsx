import type { Photo } from "./profile.ts";

/** The address of a photo's file: the session may read it, a link of the API needs a key. */
const sourceOf = (url: string): string => `/console/api${url}`;

/** A photo in the size that its place needs. @param sizes the width of that place, such as "20rem" */
export const Picture = ({ photo, alt, sizes }: { photo: Photo; alt: string; sizes: string }) => (
  <img
    src={sourceOf(photo.sizes[0]?.url ?? photo.preview)}
    srcset={photo.sizes.map(({ url, width }) => `${sourceOf(url)} ${width}w`).join(", ")}
    sizes={sizes}
    width={photo.width}
    height={photo.height}
    alt={alt}
    loading="lazy"
    style={{ backgroundImage: `url(${photo.placeholder})` }}
  />
);

/** The text of a photo for people who can't see it. */
export const altOf = ({ alt, position }: Photo, name: string): string =>
  alt || `Photo ${position + 1} of ${name}`;
