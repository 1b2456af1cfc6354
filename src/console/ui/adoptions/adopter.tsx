import { animalsPath } from "../animals/addresses.ts";
import { Email } from "../parts/email.tsx";
import type { Adoption } from "./order.ts";

/** The adopter, unless `orders forget` erased their data. */
export const AdopterName = ({ adoption: { adopter } }: { adoption: Adoption }) =>
  adopter ? (
    <>
      <bdi>{adopter.name}</bdi>
      <small>
        <Email address={adopter.email} />
      </small>
    </>
  ) : (
    <em>forgotten</em>
  );

/** The animal, with a link to it. */
export const AnimalName = ({ adoption: { animal, petId } }: { adoption: Adoption }) => {
  if (animal === null) return <>{petId}, deleted since</>;
  if (animal === undefined) return <>{petId}</>;
  return (
    <a href={animalsPath({ id: petId })}>
      <bdi>{animal.name}</bdi>
    </a>
  );
};
