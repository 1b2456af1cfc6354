import { keepPreviousData } from "@tanstack/preact-query";
import { useEffect, useState } from "preact/hooks";
import { ANIMALS, useAnimal } from "../animals/queries.ts";
import type { Animal } from "../animals/animal.ts";
import { store } from "../api/client.ts";
import { categoryOf } from "../categories/category.ts";
import { useCategories } from "../categories/queries.ts";
import { ComboboxField, TextField, useDraft } from "../parts/form.tsx";
import { Dialog, DialogForm } from "../parts/dialog.tsx";
import { type FormWords, isolated, pluralize } from "../parts/wording.ts";
import { idOf } from "../parts/address.ts";
import { byId } from "../parts/table.tsx";
import { useOne } from "../parts/queries.ts";
import { useAction, useIdempotencyKey } from "../parts/action.tsx";
import { useSession } from "../session.tsx";
import { type NewOrder, adoptionPath, doneWords } from "./order.ts";
import { useAdoptionActions } from "./queries.ts";

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
  const query = { status: "available", limit: SUGGESTIONS, sort: "-id", ...(q && { q }) } as const;
  const found = useOne([...ANIMALS, "available", q], () => store.GET("/pets", { params: { query } }), {
    placeholderData: keepPreviousData,
  });
  return { ...found, isOutdated: q !== text.trim() || found.isPlaceholderData };
};

/** The animal of a new adoption: the text in the field, and the chosen animal. */
interface ChosenAnimal {
  text: string;
  animal?: Animal;
}

interface AnimalFieldProps {
  value: ChosenAnimal;
  onValue: (value: ChosenAnimal) => void;
}

const AnimalField = ({ value: { text, animal: chosen }, onValue }: AnimalFieldProps) => {
  const { data: animals = [], isFetching, isOutdated } = useAvailable(chosen ? "" : text);
  const { categories } = useCategories();
  const details = ({ id, categoryId }: Animal) =>
    [`no. ${id}`, categoryOf(categories, categoryId)?.name ?? []].flat().join(", ");
  const isFound = !chosen && text !== "" && !isFetching && !isOutdated;
  return (
    <ComboboxField
      label="Animal"
      name="animal"
      field="petId"
      hint={chosen ? details(chosen) : "Type a name or number. Only available animals are listed."}
      listLabel="Available animals"
      text={text}
      options={animals}
      isOutdated={isOutdated}
      keyOf={byId}
      message={isFetching || isOutdated ? "Searching…" : "No available animals found"}
      found={isFound && `${pluralize(animals.length, "animal")} found`}
      onText={(text) => onValue({ text })}
      onChoose={(animal) => onValue({ text: animal.name, animal })}
    >
      {(animal) => (
        <>
          <bdi>{animal.name}</bdi> <small>{details(animal)}</small>
        </>
      )}
    </ComboboxField>
  );
};

const AnimalNumber = ({ value, onValue }: AnimalFieldProps) => (
  <TextField
    label="Animal number"
    field="petId"
    inputMode="numeric"
    value={value.text}
    onValue={(text) => onValue({ text })}
  />
);

const FIELDS: FormWords = {
  petId: {
    missing: "Choose an animal from the list.",
    otherwise: "Choose an animal from the list.",
    rules: {
      not_found: "This animal was deleted. Choose another.",
      conflict: "This animal is not available for adoption. Choose another.",
    },
  },
  "adopter.name": {
    missing: "Enter the adopter's name.",
    otherwise: "Enter a name without line breaks or tabs.",
  },
  "adopter.email": { missing: "Enter an e-mail address.", otherwise: "Enter a valid e-mail address." },
  note: { missing: "Enter a note, or leave it empty.", otherwise: "Remove the invisible characters." },
};

const EMPTY = { adopter: "", address: "", note: "" };

const bodyOf = (petId: number | undefined, { adopter, address, note }: typeof EMPTY): NewOrder => ({
  // The API says that it is missing.
  petId: petId as number,
  adopter: { name: adopter, email: address.trim() },
  ...(note.trim() && { note }),
});

/**
 * The dialog that starts an adoption. Submitting again after a lost response does not start a second one.
 * @param animalId the animal to adopt; without it, the form asks for it
 */
export const PlaceAdoption = ({ animalId, back }: { animalId?: number; back: string }) => {
  const header = useIdempotencyKey();
  const { start } = useAdoptionActions();
  const mayRead = useSession().can("pets:read");
  const { draft, bind } = useDraft(EMPTY);
  const [chosen, setChosen] = useState<ChosenAnimal>({ text: "" });
  const { data: given } = useAnimal(mayRead ? animalId : undefined);
  const animal = given ?? chosen.animal;
  const AnimalInput = mayRead ? AnimalField : AnimalNumber;
  const starting = useAction({
    // The body is passed in: Enter may come before the last change is rendered.
    act: (body: NewOrder) => start(body, animal?.id === body.petId ? animal : undefined, header),
    at: back,
    says: (adoption) => ({
      words: doneWords(adoption, "started"),
      link: { href: adoptionPath(adoption.id), label: "View adoption" },
    }),
  });
  const petId = animalId ?? (mayRead ? chosen.animal?.id : idOf(chosen.text.trim()));
  const isDirty = [chosen.text, ...Object.values(draft)].some((text) => text.trim() !== "");
  return (
    <Dialog
      title={given ? `Start adoption of ${isolated(given.name)}` : "Start adoption"}
      back={back}
      isDirty={isDirty}
    >
      <DialogForm
        action={starting}
        words={FIELDS}
        hidden={animalId === undefined ? [] : ["petId"]}
        label="Start adoption"
        onSubmit={() => starting.run(bodyOf(petId, draft))}
      >
        {animalId === undefined && <AnimalInput value={chosen} onValue={setChosen} />}
        <TextField label="Adopter's name" field="adopter.name" required {...bind("adopter")} />
        <TextField
          label="Adopter's e-mail address"
          field="adopter.email"
          inputMode="email"
          isCode
          required
          {...bind("address")}
        />
        <TextField label="Note" hint="Optional note for colleagues" rows={3} {...bind("note")} />
      </DialogForm>
    </Dialog>
  );
};
