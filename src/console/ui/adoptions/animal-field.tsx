import { keepPreviousData, useQuery } from "@tanstack/preact-query";
import { useEffect, useState } from "preact/hooks";
import { ANIMALS } from "../animals/queries.ts";
import type { Animal } from "../animals/statistics.ts";
import { dataOf, store } from "../api/client.ts";
import { categoryOf } from "../categories/category.ts";
import { useCategories } from "../categories/queries.ts";
import { Combobox } from "../parts/combobox.tsx";
import { Field } from "../parts/field.tsx";
import { idOf } from "../parts/id.ts";
import { useSession } from "../session.tsx";
import { words } from "./words.ts";

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
    <Field label={words.animal} name="petId" hint={chosen ? details(chosen) : words.animalHint}>
      {(tied) => (
        <>
          <Combobox
            tied={tied}
            name="animal"
            listLabel={words.availableAnimals}
            text={text}
            options={animals}
            isOutdated={isOutdated}
            keyOf={({ id }) => id}
            message={isFetching || isOutdated ? words.searching : words.noAnimals}
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
            {!chosen && text !== "" && !isFetching && !isOutdated && words.animalsFound(animals.length)}
          </span>
        </>
      )}
    </Field>
  );
};

/** For keys that may not read animals. */
const AnimalNumber = ({ text, onText }: { text: string; onText: (text: string) => void }) => (
  <Field label={words.animalNumber} name="petId">
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

/** The animal of a new adoption: what was typed, and the animal that was chosen. */
export interface ChosenAnimal {
  text: string;
  animal?: Animal;
}

/** The id of the animal; undefined while none is chosen. */
export const chosenId = ({ text, animal }: ChosenAnimal, mayRead: boolean): number | undefined =>
  mayRead ? animal?.id : idOf(text.trim());

/** The field for the animal: a search among those that can be adopted. */
export const AnimalField = ({
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
