import { encode } from "uqr";
import { useCategories, useCustomFields } from "../categories/queries.ts";
import { Facts, Page } from "../parts/page.tsx";
import { type Animal, animalPath } from "./animal.ts";
import { CategoryName } from "./dialogs.tsx";
import { Picture, altOf } from "./picture.tsx";
import { factsOf } from "./profile.ts";

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
  const { id, name, categoryId, photos: [photo] = [], profile } = animal;
  const { categories } = useCategories();
  const { data: fields = [] } = useCustomFields();
  const now = new Date();
  const facts = profile ? factsOf(profile, fields, { isHere: true, now }) : [];
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
        <Facts
          facts={[
            ["Category", <CategoryName id={categoryId} categories={categories} />],
            ...facts
              .filter(({ isPublic }) => isPublic)
              .map(({ name, words }) => [name, <bdi>{words}</bdi>] as const),
          ]}
        />
        <QrCode text={new URL(animalPath(id), location.origin).href} label={`Code of the page of ${name}`} />
      </div>
    </Page>
  );
};
