import { useQuery } from "@tanstack/preact-query";
import { type ComponentChildren, h } from "preact";
import { useState } from "preact/hooks";
import { encode } from "uqr";
import { callConsole } from "../api/client.ts";
import { useCategories, useCustomFields } from "../categories/queries.ts";
import { Facts, Page, useClock } from "../parts/page.tsx";
import { useSession } from "../session.tsx";
import { type Animal, animalPath, animalsPath } from "./animal.ts";
import { CategoryName, StatusBadge } from "./dialogs.tsx";
import { AddPhotos } from "./photos.tsx";
import { Picture, altOf } from "./picture.tsx";
import { type Photo, factOf, factsWith } from "./profile.ts";

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
      <ul class="bare">
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

/** What is known of an animal, without the members that are not set. @param isForAdopters only what they may see */
export const AnimalFacts = ({
  animal,
  isForAdopters = false,
}: {
  animal: Animal;
  isForAdopters?: boolean;
}) => {
  const { id, categoryId, status, profile } = animal;
  const { categories } = useCategories();
  const { data: fields = [] } = useCustomFields();
  const now = new Date(useClock((now) => new Date(now).setHours(0, 0, 0, 0)));
  const isHere = isForAdopters || status !== "sold";
  const shown = factsWith(fields).filter(({ isPrivate }) => !isPrivate || !isForAdopters);
  const category = <CategoryName id={categoryId} categories={categories} />;
  return (
    <Facts
      facts={[
        ["No.", !isForAdopters && id],
        [
          "Category",
          isForAdopters ? category : <a href={animalsPath({ category: String(categoryId) })}>{category}</a>,
        ],
        ["Status", !isForAdopters && <StatusBadge status={status} />],
        ...shown.map((member) => {
          const words = profile && factOf(profile, member, { isHere, now });
          const fact = words && (
            <>
              <bdi>{words}</bdi>
              {member.isPrivate && <small>Not public</small>}
            </>
          );
          return [member.label, fact] as const;
        }),
      ]}
    />
  );
};

/** The elements of CommonMark that look as in the console. */
const ELEMENTS: ReadonlySet<string> = new Set("p em strong ul ol li blockquote pre code br h3".split(" "));

/** Rendered CommonMark. The text of any other element is shown without it. */
const contentOf = (node: Node): ComponentChildren =>
  [...node.childNodes].map((child) => {
    if (!(child instanceof Element)) return child.textContent;
    const content = contentOf(child);
    if (child instanceof HTMLAnchorElement)
      return (
        <a href={child.href} rel={child.rel}>
          {content}
        </a>
      );
    const name = child.localName.replace(/^h[1-6]$/, "h3");
    return ELEMENTS.has(name) ? h(name, {}, content) : content;
  });

const Description = ({ petId, text }: { petId: number; text: string | undefined }) => {
  const { data } = useQuery({
    queryKey: ["descriptions", petId, text],
    queryFn: async () => (await callConsole("GET", `api/v1/pets/${petId}/profile/description`)).text(),
    enabled: text !== undefined,
  });
  if (text === undefined) return null;
  return (
    <section class="description" dir="auto">
      <h2>About</h2>
      {data === undefined ? text : contentOf(new DOMParser().parseFromString(data, "text/html").body)}
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
      <Description petId={id} text={profile?.description} />
    </div>
  );
};

/** The dark squares of a code as the path of an image of `size` by `size`. */
const QrCode = ({ text, label }: { text: string; label: string }) => {
  const { data, size } = encode(text, { ecc: "M", border: 2 });
  const squares = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : [])));
  return (
    <svg viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label}>
      <rect width={size} height={size} fill="#fff" />
      <path d={squares.join("")} fill="#000" />
    </svg>
  );
};

/** The page to print and hang up at the animal's place: only what adopters may see. */
export const KennelCard = ({ animal, back }: { animal: Animal; back: string }) => {
  const { id, name, photos: [photo] = [] } = animal;
  return (
    <Page
      title={name}
      part="Kennel card"
      back={{ href: back, label: `Back to ${name}` }}
      actions={
        <button type="button" onClick={() => print()}>
          Print
        </button>
      }
    >
      <div class="kennel-card">
        {photo && <Picture photo={photo} alt={altOf(photo, name)} sizes="40rem" />}
        <AnimalFacts animal={animal} isForAdopters />
        <QrCode text={new URL(animalPath(id), location.origin).href} label={`Code of the page of ${name}`} />
      </div>
    </Page>
  );
};
