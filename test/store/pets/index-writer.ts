import { openDatabase } from "../../../src/data/db/open.ts";
import { importIndexing, petIndex } from "../../../src/data/db/pet-index.ts";
import { petRepository } from "../../../src/store/pets/repository.ts";

/** A process that writes without a pause: `bun index-writer.ts <database> <prefix>`. Prints the name of each stored animal. */
const [, , path = "", prefix = ""] = process.argv;
const database = openDatabase(path);
const pets = petRepository(database);
const index = petIndex(database);
const act = { actor: { kind: "operator" }, now: 86_400_000 } as const;
const insert = database.client.prepare(
  "INSERT INTO pets (name, category_id, created_at) SELECT 'Imported ' || value, 3, 0 FROM json_each('[1,2,3]')",
);

for (let round = 0; ; round++) {
  const names = Array.from({ length: 1 + (round % 7) }, (_, index) => `${prefix}${round}x${index} Zoë`);
  const added = await Promise.all(
    names.map((name) => pets.add({ name, categoryId: BigInt(round % 3) }, act)),
  );
  console.log(names.join("\n"));
  const id = added[0]?.id ?? 0;
  if (round % 3 === 0) await pets.change(id, { name: `Renamed ${prefix}${round}`, status: "sold" }, act);
  if (round % 4 === 0) await pets.remove(id, act);
  if (round % 5 === 0) await index.catchUp();
  if (round % 11 === 0) await index.tidy();
  if (round % 6 === 0)
    await database.commit([{ query: { all: () => insert.run() }, values: {} }, ...importIndexing(3)]);
}
