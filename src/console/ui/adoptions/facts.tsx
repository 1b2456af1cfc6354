import type { ComponentChildren } from "preact";
import { animalPath } from "../animals/addresses.ts";
import { Facts } from "../parts/feedback.tsx";
import { Email } from "../parts/text.tsx";
import { useSession } from "../session.tsx";
import { adoptionPath } from "./addresses.ts";
import type { Adoption } from "./order.ts";

const ERASED = <em>data erased</em>;

/** The adopter, unless `orders forget` erased their data, with a link to the adoption. */
export const AdopterName = ({ adoption: { id, adopter } }: { adoption: Adoption }) => (
  <>
    <a href={adoptionPath(id)}>{adopter ? <bdi>{adopter.name}</bdi> : ERASED}</a>
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
  if (animal === null) return <>{`animal ${petId}, deleted`}</>;
  const name = animal ? <bdi>{animal.name}</bdi> : `animal ${petId}`;
  return mayRead ? <a href={animalPath(petId)}>{name}</a> : <>{name}</>;
};

/** Characters of a note that a row shows in full. */
const SHORT = 120;

/** The note of an adoption. A long one is folded. */
export const Note = ({ text }: { text: string | undefined }) => {
  if (!text) return null;
  const isShort = text.length <= SHORT && text.split("\n").length <= 3;
  if (isShort) return <bdi class="note">{text}</bdi>;
  return (
    <details class="note">
      <summary>
        <bdi>{text.slice(0, SHORT / 2).trimEnd()}…</bdi>
      </summary>
      <bdi>{text}</bdi>
    </details>
  );
};

/** Who adopts which animal, and the note. */
export const AdoptionFacts = ({ adoption }: { adoption: Adoption }) => {
  const { adopter, note } = adoption;
  const facts: [string, ComponentChildren][] = [
    ["Animal", <AnimalName adoption={adoption} />],
    ["Adopter", adopter ? <bdi>{adopter.name}</bdi> : ERASED],
  ];
  if (adopter) {
    const href = `mailto:${adopter.email.split("@").map(encodeURIComponent).join("@")}`;
    facts.push([
      "E-mail",
      <a href={href}>
        <Email address={adopter.email} />
      </a>,
    ]);
  }
  if (note) facts.push(["Note", <Note text={note} />]);
  return <Facts facts={facts} />;
};
