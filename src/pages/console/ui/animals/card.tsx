import { useState } from "preact/hooks";
import { useCategories, useCustomFields } from "../categories/queries.ts";
import { Facts, useClock } from "../parts/page.tsx";
import { useSession } from "../session.tsx";
import { type Animal, animalsPath } from "./animal.ts";
import { CategoryName, StatusBadge } from "./dialogs.tsx";
import { AddPhotos } from "./photos.tsx";
import { Picture, altOf } from "./picture.tsx";
import { type Photo, factsOf } from "./profile.ts";

/** The first photo in large, and all of them in small: a press shows another one in large. */
const Gallery = ({ name, photos }: { name: string; photos: readonly Photo[] }) => {
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

/** The photos of an animal, and its description. @param arrange the address of the dialog about its photos */
export const Portrait = ({ animal, arrange }: { animal: Animal; arrange: string }) => {
  const { id, name, photos = [], profile } = animal;
  return (
    <div>
      <Gallery name={name} photos={photos} />
      {useSession().can("pets:write") && (
        <>
          <AddPhotos petId={id} />
          {photos.length > 0 && <a href={arrange}>Arrange, describe or delete photos</a>}
        </>
      )}
      <Description text={profile?.description} />
    </div>
  );
};
