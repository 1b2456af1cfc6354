import { Database } from "bun:sqlite";
import { join } from "node:path";

interface Row {
  id: number;
  name: string;
  category: string | null;
  status: string | null;
  data: string | null;
}

export interface StoredAnimal {
  id: number;
  name: string;
  category?: string;
  status?: string;
  [member: string]: unknown;
}

const present = (members: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));

/** All animals with the members of their profiles, in the order of their ids. Custom values are under the names of their fields. */
export const storedAnimals = (cwd: string): StoredAnimal[] => {
  using database = new Database(join(cwd, "data", "adoption-store.db"), { readonly: true });
  const fields = new Map(
    database
      .query<{ id: number; name: string }, []>("SELECT id, name FROM pet_fields")
      .all()
      .map(({ id, name }) => [String(id), name]),
  );
  return database
    .query<Row, []>(
      `SELECT pets.id, pets.name, categories.name AS category, status, data FROM pets
       LEFT JOIN pet_profiles ON pet_id = pets.id LEFT JOIN categories ON categories.id = category_id ORDER BY pets.id`,
    )
    .all()
    .map(({ data, ...pet }) => {
      const { custom = {}, ...members } = JSON.parse(data ?? "{}") as Record<string, unknown>;
      const values = Object.entries(custom as object).map(([id, value]) => [
        `custom.${fields.get(id)}`,
        value,
      ]);
      return { ...present({ ...pet }), ...members, ...Object.fromEntries(values) } as StoredAnimal;
    });
};
