import { useMutation, useQueryClient } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { ANIMALS, useAnimal } from "../animals/queries.ts";
import { dataOf, store } from "../api/client.ts";
import { useIdempotencyKey } from "../parts/use-idempotency-key.ts";
import { Dialog } from "../parts/dialog.tsx";
import { DialogButtons } from "../parts/dialog-buttons.tsx";
import { useFinish } from "../parts/finish.ts";
import { Field } from "../parts/field.tsx";
import { Form } from "../parts/form.tsx";
import { idOf } from "../parts/id.ts";
import { integerOf } from "../parts/integer.ts";
import { useSession } from "../session.tsx";
import { type Adoption, type NewOrder, animalLabel } from "./order.ts";
import { ADOPTIONS } from "./queries.ts";
import { FIELDS } from "./words.ts";

/** The fields of the form. */
interface Draft {
  animal: string;
  name: string;
  email: string;
  note: string;
}

const bodyOf = ({ animal, name, email, note }: Draft): NewOrder => ({
  // The API refuses what is not the id of an animal.
  petId: integerOf(animal) as number,
  adopter: { name, email: email.trim() },
  ...(note.trim() && { note }),
});

/** The properties of one section of the form. */
interface SectionProps {
  draft: Draft;
  change: (change: Partial<Draft>) => void;
}

/** The animal. Its name appears as soon as its id is typed. */
const AnimalField = ({ draft, change }: SectionProps) => {
  const mayRead = useSession().can("pets:read");
  const { data: animal } = useAnimal(mayRead ? idOf(draft.animal.trim()) : undefined);
  return (
    <Field
      label="Animal"
      name="petId"
      hint={
        animal ? (
          <>
            <bdi>{animal.name}</bdi>, {animal.status ?? "without a status"}
          </>
        ) : (
          "The id in the list of animals."
        )
      }
    >
      {(tied) => (
        <input
          {...tied}
          name="petId"
          inputMode="numeric"
          autocomplete="off"
          required
          pattern="\s*[0-9]+\s*"
          title="A whole number"
          value={draft.animal}
          onInput={(event) => change({ animal: event.currentTarget.value })}
        />
      )}
    </Field>
  );
};

/** The adopter. Browsers are told not to remember it. */
const AdopterFields = ({ draft, change }: SectionProps) => (
  <>
    <Field label="Adopter's name" name="adopter.name">
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
    <Field label="Adopter's e-mail address" name="adopter.email">
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
    <Field label="Note" name="note" hint="Optional. Anything that matters for this adoption.">
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

/** The dialog that begins an adoption. Submitting again after a lost response does not begin a second one. */
export const PlaceAdoption = ({
  animalId,
  back,
  onPlaced,
}: {
  /** The animal to adopt; without it, the form asks for it. */
  animalId?: number;
  back: string;
  onPlaced?: (adoption: Adoption) => void;
}) => {
  const queries = useQueryClient();
  const done = useFinish();
  const header = useIdempotencyKey();
  const mayRead = useSession().can("pets:read");
  const [draft, setDraft] = useState<Draft>({
    animal: String(animalId ?? ""),
    name: "",
    email: "",
    note: "",
  });
  const { data: animal } = useAnimal(mayRead ? idOf(draft.animal.trim()) : undefined);
  const placing = useMutation({
    // The body is passed in: Enter may come before the last change is rendered.
    mutationFn: async (body: NewOrder): Promise<Adoption> => {
      const order = await dataOf(store.POST("/store/orders", { params: { header }, body }));
      return { ...(animal?.id === order.petId && { animal }), ...order };
    },
    onSuccess: (adoption) => onPlaced?.(adoption),
    onSettled() {
      void queries.invalidateQueries({ queryKey: ADOPTIONS });
      void queries.invalidateQueries({ queryKey: ANIMALS });
    },
    // Adopters' data is not kept longer than it is shown.
    gcTime: 0,
  });
  const { error, isPending } = placing;
  const section: SectionProps = {
    draft,
    change: (change) => setDraft((before) => ({ ...before, ...change })),
  };
  const title = animalId === undefined ? "Begin adoption" : `Adopt ${animal ? `“${animal.name}”` : animalId}`;
  return (
    <Dialog title={title} back={back}>
      <Form
        error={error}
        words={FIELDS}
        hidden={animalId === undefined ? [] : ["petId"]}
        onSubmit={() =>
          placing.mutate(bodyOf(draft), {
            onSuccess: (adoption) =>
              done(back, `The adoption of ${animalLabel(adoption)} has begun. Its id is ${adoption.id}.`),
          })
        }
      >
        {animalId === undefined && <AnimalField {...section} />}
        <AdopterFields {...section} />
        <DialogButtons back={back} label="Begin adoption" isBusy={isPending} />
      </Form>
    </Dialog>
  );
};
