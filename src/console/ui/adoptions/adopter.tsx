import { animalsPath } from "../animals/addresses.ts";
import type { Adoption } from "./order.ts";

/** Who adopts, unless that was forgotten. */
export const AdopterName = ({ adoption: { adopter } }: { adoption: Adoption }) =>
  adopter ? (
    <>
      <bdi>{adopter.name}</bdi>
      <small>
        <bdi>{adopter.email}</bdi>
      </small>
    </>
  ) : (
    <em>forgotten</em>
  );

/** The animal that is adopted, leading to where it is shown. */
export const AnimalName = ({ adoption: { animal, petId } }: { adoption: Adoption }) => {
  if (animal === null) return <>{petId}, deleted since</>;
  if (animal === undefined) return <>{petId}</>;
  return (
    <a href={animalsPath({ id: petId })}>
      <bdi>{animal.name}</bdi>
    </a>
  );
};
