import type { components } from "../../../../client/types/store.d.ts";
import { moved } from "../parts/records.ts";
import type { Photo } from "./profile.ts";

/** A photo in the form that arranges them. */
export interface ArrangedPhoto extends Photo {
  isDeleted?: boolean;
}

/** A change to send; without `change`, the photo is deleted. */
export interface PhotoChange {
  id: number;
  change?: components["schemas"]["PhotoChange"];
}

/** The requests that make a form true: deletions first, then the others in their new order. */
export const photoChangesOf = (photos: readonly Photo[], form: readonly ArrangedPhoto[]): PhotoChange[] => {
  const kept = form.filter(({ isDeleted }) => !isDeleted);
  let order = photos.map(({ id }) => id).filter((id) => kept.some((one) => one.id === id));
  const changes = kept.map(({ id, alt }, position): Required<PhotoChange> => {
    const isMoved = order[position] !== id;
    order = moved(order, id, position);
    const isDescribed = alt !== photos.find((one) => one.id === id)?.alt;
    return { id, change: { ...(isDescribed && { alt: alt.trim() }), ...(isMoved && { position }) } };
  });
  return [
    ...form.filter(({ isDeleted }) => isDeleted).map(({ id }) => ({ id })),
    ...changes.filter(({ change }) => Object.keys(change).length > 0),
  ];
};
