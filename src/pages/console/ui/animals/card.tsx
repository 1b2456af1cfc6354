import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { useCategories, useCustomFields } from "../categories/queries.ts";
import { Facts, useClock } from "../parts/page.tsx";
import { type Animal, animalsPath } from "./animal.ts";
import { CategoryName, StatusBadge } from "./dialogs.tsx";
import { type Photo, factsOf } from "./profile.ts";

/** The address of a photo's file: the session may read it, a link of the API needs a key. */
const sourceOf = (url: string): string => `/console/api${url}`;

/** A photo in the size that its place needs. @param sizes the width of that place, such as "20rem" */
const Picture = ({ photo, alt, sizes }: { photo: Photo; alt: string; sizes: string }) => (
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
const altOf = ({ alt, position }: Photo, name: string): string => alt || `Photo ${position + 1} of ${name}`;

interface GalleryProps {
  name: string;
  photos: readonly Photo[];
  children?: ComponentChildren;
}

/** The first photo in large, and all of them in small: a press shows another one in large. */
const Gallery = ({ name, photos, children }: GalleryProps) => {
  const [chosen, setChosen] = useState<number>();
  const shown = photos.find(({ id }) => id === chosen) ?? photos[0];
  return (
    <section class="gallery" aria-label="Photos">
      <div class="large">
        {shown ? (
          <Picture photo={shown} alt={altOf(shown, name)} sizes="(min-width: 60rem) 44rem, 95vw" />
        ) : (
          <p>No photo yet</p>
        )}
      </div>
      <ul>
        {photos.length > 1 &&
          photos.map((photo) => (
            <li key={photo.id}>
              <button
                type="button"
                aria-label={`Show ${altOf(photo, name)}`}
                aria-pressed={photo === shown}
                onClick={() => setChosen(photo.id)}
              >
                <Picture photo={photo} alt="" sizes="7rem" />
              </button>
            </li>
          ))}
        {children}
      </ul>
    </section>
  );
};

/** What is known of an animal, without the members that are not set. */
export const AnimalFacts = ({ animal: { id, categoryId, status, profile } }: { animal: Animal }) => {
  const { categories } = useCategories();
  const { data: fields = [] } = useCustomFields();
  const now = new Date(useClock((now) => new Date(now).setHours(0, 0, 0, 0)));
  const known = profile ? factsOf(profile, fields, { isHere: status !== "sold", now }) : [];
  return (
    <section class="box">
      <h2>Facts</h2>
      <Facts
        facts={[
          ["No.", id],
          [
            "Category",
            <a href={animalsPath({ category: String(categoryId) })}>
              <CategoryName id={categoryId} categories={categories} />
            </a>,
          ],
          ["Status", <StatusBadge status={status} />],
          ...known.map(({ name, words, isPublic }) => {
            const fact = (
              <>
                <bdi>{words}</bdi>
                {!isPublic && <small>Not public</small>}
              </>
            );
            return [name, fact] as const;
          }),
        ]}
      />
    </section>
  );
};

/** Paragraphs of plain text. CommonMark is shown as it was written. */
const Description = ({ text = "" }: { text: string | undefined }) => {
  const paragraphs = text.split(/\n\s*\n/).filter((one) => one.trim() !== "");
  if (paragraphs.length === 0) return null;
  return (
    <section class="description">
      <h2>About</h2>
      {paragraphs.map((paragraph, index) => (
        <p key={index} dir="auto">
          {paragraph}
        </p>
      ))}
    </section>
  );
};

/** The photos of an animal, and its description. */
export const Portrait = ({ animal: { name, photos = [], profile } }: { animal: Animal }) => (
  <div>
    <Gallery name={name} photos={photos} />
    <Description text={profile?.description} />
  </div>
);
