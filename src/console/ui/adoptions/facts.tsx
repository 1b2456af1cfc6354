import { Email } from "../parts/email.tsx";
import { AnimalName } from "./adopter.tsx";
import { Note } from "./note.tsx";
import type { Adoption } from "./order.ts";
import { words } from "./words.ts";

/** Who adopts which animal, and the note. */
export const Facts = ({ adoption }: { adoption: Adoption }) => {
  const { adopter, note } = adoption;
  return (
    <dl class="facts">
      <dt>{words.columns.animal}</dt>
      <dd>
        <AnimalName adoption={adoption} />
      </dd>
      <dt>{words.columns.adopter}</dt>
      <dd>{adopter ? <bdi>{adopter.name}</bdi> : <em>{words.forgotten}</em>}</dd>
      {adopter && (
        <>
          <dt>{words.emailFact}</dt>
          <dd>
            <a href={`mailto:${adopter.email.split("@").map(encodeURIComponent).join("@")}`}>
              <Email address={adopter.email} />
            </a>
          </dd>
        </>
      )}
      {note && (
        <>
          <dt>{words.columns.note}</dt>
          <dd>
            <Note text={note} />
          </dd>
        </>
      )}
    </dl>
  );
};
