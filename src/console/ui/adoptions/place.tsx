import { useState } from "preact/hooks";
import { useAnimal } from "../animals/queries.ts";
import { DialogButtons } from "../parts/dialog-buttons.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Field } from "../parts/field.tsx";
import { Form } from "../parts/form.tsx";
import { useAction } from "../parts/use-action.ts";
import { useIdempotencyKey } from "../parts/use-idempotency-key.ts";
import { useSession } from "../session.tsx";
import { adoptionPath } from "./addresses.ts";
import { AnimalField, type ChosenAnimal, chosenId } from "./animal-field.tsx";
import type { NewOrder } from "./order.ts";
import { useAdoptionActions } from "./queries.ts";
import { FIELDS, words } from "./words.ts";

/** The fields about the adopter. */
interface Draft {
  name: string;
  email: string;
  note: string;
}

const EMPTY: Draft = { name: "", email: "", note: "" };

const bodyOf = (petId: number | undefined, { name, email, note }: Draft): NewOrder => ({
  // The API says that it is missing.
  petId: petId as number,
  adopter: { name, email: email.trim() },
  ...(note.trim() && { note }),
});

/** The adopter. Browsers are told not to remember it. */
const AdopterFields = ({ draft, change }: { draft: Draft; change: (change: Partial<Draft>) => void }) => (
  <>
    <Field label={words.name} name="adopter.name">
      {(tied) => (
        <input
          {...tied}
          name="adopter"
          required
          autocomplete="off"
          value={draft.name}
          onInput={(event) => change({ name: event.currentTarget.value })}
        />
      )}
    </Field>
    <Field label={words.email} name="adopter.email">
      {(tied) => (
        <input
          {...tied}
          name="address"
          inputMode="email"
          required
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          value={draft.email}
          onInput={(event) => change({ email: event.currentTarget.value })}
        />
      )}
    </Field>
    <Field label={words.note} name="note" hint={words.noteHint}>
      {(tied) => (
        <textarea
          {...tied}
          name="note"
          rows={3}
          autocomplete="off"
          value={draft.note}
          onInput={(event) => change({ note: event.currentTarget.value })}
        />
      )}
    </Field>
  </>
);

/** The dialog that starts an adoption. Submitting again after a lost response does not start a second one. */
export const PlaceAdoption = ({
  animalId,
  back,
}: {
  /** The animal to adopt; without it, the form asks for it. */
  animalId?: number;
  back: string;
}) => {
  const header = useIdempotencyKey();
  const { start } = useAdoptionActions();
  const mayRead = useSession().can("pets:read");
  const [draft, setDraft] = useState(EMPTY);
  const [chosen, setChosen] = useState<ChosenAnimal>({ text: "" });
  const { data: given } = useAnimal(mayRead ? animalId : undefined);
  const animal = given ?? chosen.animal;
  const starting = useAction({
    // The body is passed in: Enter may come before the last change is rendered.
    act: (body: NewOrder) => start(body, animal?.id === body.petId ? animal : undefined, header),
    at: back,
    says: (adoption) => ({
      words: words.started(adoption),
      link: { href: adoptionPath(adoption.id), label: words.view },
    }),
  });
  const petId = animalId ?? chosenId(chosen, mayRead);
  const isDirty = [chosen.text, ...Object.values(draft)].some((text) => text.trim() !== "");
  return (
    <Dialog title={given ? words.startOf(given.name) : words.start} back={back} isDirty={isDirty}>
      <Form
        error={starting.error}
        words={FIELDS}
        hidden={animalId === undefined ? [] : ["petId"]}
        onSubmit={() => starting.run(bodyOf(petId, draft))}
      >
        {animalId === undefined && <AnimalField value={chosen} onChange={setChosen} />}
        <AdopterFields draft={draft} change={(change) => setDraft((before) => ({ ...before, ...change }))} />
        <DialogButtons back={back} label={words.start} isBusy={starting.isPending} />
      </Form>
    </Dialog>
  );
};
