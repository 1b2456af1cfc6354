import { animalPath } from "../animals/addresses.ts";
import { Email } from "../parts/email.tsx";
import { useSession } from "../session.tsx";
import { adoptionPath } from "./addresses.ts";
import type { Adoption } from "./order.ts";
import { words } from "./words.ts";

/** The adopter, unless `orders forget` erased their data, with a link to the adoption. */
export const AdopterName = ({ adoption: { id, adopter } }: { adoption: Adoption }) => (
  <>
    <a href={adoptionPath(id)}>{adopter ? <bdi>{adopter.name}</bdi> : <em>{words.forgotten}</em>}</a>
    {adopter && (
      <small>
        <Email address={adopter.email} />
      </small>
    )}
  </>
);

/** The animal, with a link to it. */
export const AnimalName = ({ adoption: { animal, petId } }: { adoption: Adoption }) => {
  const mayRead = useSession().can("pets:read");
  if (animal === null) return <>{words.deletedAnimal(petId)}</>;
  const name = animal ? <bdi>{animal.name}</bdi> : words.animalNo(petId);
  return mayRead ? <a href={animalPath(petId)}>{name}</a> : <>{name}</>;
};
