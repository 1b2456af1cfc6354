import type { components } from "../../../../client/types/store.d.ts";
import { moved } from "../parts/records.ts";
import type { Photo } from "./profile.ts";

/** A change to send; without `change`, the photo is deleted. */
export interface PhotoChange {
  id: number;
  change?: components["schemas"]["PhotoChange"];
}

/** The ids in their order as `order`, the texts as `alt.12`, and "yes" as `delete.12`. */
export const photoDraftOf = (photos: readonly Photo[]): Record<string, string> => ({
  order: photos.map(({ id }) => id).join(","),
  ...Object.fromEntries(
    photos.flatMap(({ id, alt }) => [
      [`alt.${id}`, alt],
      [`delete.${id}`, ""],
    ]),
  ),
});

/** The requests that make a draft true: deletions first, then texts, then places. */
export const photoChangesOf = (
  photos: readonly Photo[],
  draft: Readonly<Record<string, string>>,
): PhotoChange[] => {
  const isDeleted = ({ id }: Photo) => draft[`delete.${id}`] === "yes";
  const kept = photos.filter((photo) => !isDeleted(photo));
  let current = kept.map(({ id }) => id);
  const wanted = (draft["order"] ?? "")
    .split(",")
    .map(Number)
    .filter((id) => current.includes(id));
  const moves = wanted.flatMap((id, position) => {
    if (current[position] === id) return [];
    current = moved(current, id, position);
    return [{ id, change: { position } }];
  });
  const described = kept.filter(({ id, alt }) => draft[`alt.${id}`] !== alt);
  return [
    ...photos.filter(isDeleted).map(({ id }) => ({ id })),
    ...described.map(({ id }) => ({ id, change: { alt: draft[`alt.${id}`]?.trim() ?? "" } })),
    ...moves,
  ];
};
