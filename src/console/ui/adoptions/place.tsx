import { keepPreviousData, useQuery } from "@tanstack/preact-query";
import { useEffect, useState } from "preact/hooks";
import { ANIMALS, useAnimal } from "../animals/queries.ts";
import type { Animal } from "../animals/animal.ts";
import { dataOf, store } from "../api/client.ts";
import { categoryOf } from "../categories/category.ts";
import { useCategories } from "../categories/queries.ts";
import { Combobox } from "../parts/combobox.tsx";
import { Dialog, DialogButtons } from "../parts/dialog.tsx";
import { Field, Form } from "../parts/form.tsx";
import { idOf } from "../parts/address.ts";
import { useAction, useIdempotencyKey } from "../parts/action.tsx";
import { useSession } from "../session.tsx";
import { adoptionPath } from "./addresses.ts";
import type { NewOrder } from "./order.ts";
import { useAdoptionActions } from "./queries.ts";
import { FIELDS, words } from "./words.ts";
import { isolated, pluralize } from "../parts/wording.ts";

/** How long the user may pause between two letters without a search. */
const TYPING_MS = 150;
const SUGGESTIONS = 8;

const useDebounced = (text: string): string => {
  const [later, setLater] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setLater(text), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return later;
};

/** Available animals whose names have these words, or that have this number. Without words, the newest. */
const useAvailable = (text: string) => {
  const q = useDebounced(text.trim());
  const found = useQuery({
    queryKey: [...ANIMALS, "available", q],
    queryFn: () =>
      dataOf(
        store.GET("/pets", {
          params: { query: { status: "available", limit: SUGGESTIONS, sort: "-id", ...(q && { q }) } },
        }),
      ),
    placeholderData: keepPreviousData,
  });
  return { ...found, isOutdated: q !== text.trim() || found.isPlaceholderData };
};

const AnimalChoice = ({
  text,
  chosen,
  onText,
  onChoose,
}: {
  text: string;
  chosen: Animal | undefined;
  onText: (text: string) => void;
  onChoose: (animal: Animal) => void;
}) => {
  const { data: animals = [], isFetching, isOutdated } = useAvailable(chosen ? "" : text);
  const { categories } = useCategories();
  const details = ({ id, categoryId }: Animal) =>
    words.animalDetails(id, categoryOf(categories, categoryId)?.name);
  return (
    <Field
      label="Animal"
      name="petId"
      hint={chosen ? details(chosen) : "Type a name or number. Only available animals are listed."}
    >
      {(tied) => (
        <>
          <Combobox
            tied={tied}
            name="animal"
            listLabel="Available animals"
            text={text}
            options={animals}
            isOutdated={isOutdated}
            keyOf={({ id }) => id}
            message={isFetching || isOutdated ? "Searching…" : "No available animals found"}
            onText={onText}
            onChoose={onChoose}
          >
            {(animal) => (
              <>
                <bdi>{animal.name}</bdi> <small>{details(animal)}</small>
              </>
            )}
          </Combobox>
          <span class="visually-hidden" role="status">
            {!chosen &&
              text !== "" &&
              !isFetching &&
              !isOutdated &&
              `${pluralize(animals.length, "animal")} found`}
          </span>
        </>
      )}
    </Field>
  );
};

/** For keys that may not read animals. */
const AnimalNumber = ({ text, onText }: { text: string; onText: (text: string) => void }) => (
  <Field label="Animal number" name="petId">
    {(tied) => (
      <input
        {...tied}
        inputMode="numeric"
        autocomplete="off"
        value={text}
        onInput={(event) => onText(event.currentTarget.value)}
      />
    )}
  </Field>
);

/** The animal of a new adoption: the text in the field, and the chosen animal. */
interface ChosenAnimal {
  text: string;
  animal?: Animal;
}

/** The id of the animal; undefined while none is chosen. */
const chosenId = ({ text, animal }: ChosenAnimal, mayRead: boolean): number | undefined =>
  mayRead ? animal?.id : idOf(text.trim());

/** The field for the animal: a search among those that can be adopted. */
const AnimalField = ({
  value: { text, animal },
  onChange,
}: {
  value: ChosenAnimal;
  onChange: (value: ChosenAnimal) => void;
}) => {
  const mayRead = useSession().can("pets:read");
  if (!mayRead) return <AnimalNumber text={text} onText={(text) => onChange({ text })} />;
  return (
    <AnimalChoice
      text={text}
      chosen={animal}
      onText={(text) => onChange({ text })}
      onChoose={(animal) => onChange({ text: animal.name, animal })}
    />
  );
};

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

/** The adopter. Autocomplete is off, so that browsers do not store it. */
const AdopterFields = ({ draft, change }: { draft: Draft; change: (change: Partial<Draft>) => void }) => (
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
    <Field label="Note" name="note" hint="Optional note for colleagues">
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
    <Dialog
      title={given ? `Start adoption of ${isolated(given.name)}` : words.start}
      back={back}
      isDirty={isDirty}
    >
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
