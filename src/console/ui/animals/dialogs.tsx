import { PlaceAdoption } from "../adoptions/place.tsx";
import { useSession } from "../session.tsx";
import { DeleteAnimal } from "./delete.tsx";
import { EditAnimal } from "./edit.tsx";

/** The dialog about an animal that the address names, if the key allows it. */
export const AnimalDialog = ({
  id,
  act,
  back,
  after = back,
}: {
  id: number;
  act: string | undefined;
  back: string;
  /** Where to go when the animal is deleted. */
  after?: string;
}) => {
  const { can } = useSession();
  if (act === "adopt" && can("orders:write")) return <PlaceAdoption key={id} animalId={id} back={back} />;
  if (!can("pets:write")) return null;
  if (act === "change") return <EditAnimal key={id} id={id} back={back} />;
  if (act === "delete") return <DeleteAnimal key={id} id={id} back={back} after={after} />;
  return null;
};
