import { expect, test } from "bun:test";
import { getTableColumns } from "drizzle-orm";
import { pets } from "../../../src/data/db/schema/pets.ts";
import { addPet, openStore } from "../../support/store.ts";

/** Columns whose update is no event, and why. */
const WITHOUT_EVENT: Record<string, string> = {
  id: "it never changes",
  created_at: "it never changes, and no response shows it",
  updated_at: "it changes with the others, or with the profile and photos, which write their own event",
  revision: "it counts the updates of the others, and no response shows it",
};

const columns = Object.values(getTableColumns(pets));

/** A value that the column accepts and that the animal does not have. */
const otherValue = ({ enumValues, dataType }: (typeof columns)[number]): string | number =>
  enumValues?.at(-1) ?? (dataType === "string" ? "other" : 12_345);

// If it fails for a new column: its migration must name the column in the trigger `pets_changed`.
test.each(columns.map((column) => [column.name, column] as const))(
  "an update of the column %s alone is an event, or the column is a named exception",
  async (name, column) => {
    const store = await openStore();
    await addPet(store, { name: "Bella", status: "available" });
    const { client } = store.database;
    const { changes } = client.run(`update pets set ${name} = ?`, [otherValue(column)]);
    const kinds = client.query<{ kind: string }, []>("select kind from pet_events order by id").all();
    expect(changes).toBeGreaterThan(0);
    expect(kinds.map(({ kind }) => kind)).toEqual(
      WITHOUT_EVENT[name] === undefined ? ["added", "changed"] : ["added"],
    );
  },
);

test("setting a column to null, and then to a value, makes two events", async () => {
  const store = await openStore();
  await addPet(store, { name: "Bella", status: "available" });
  const { client } = store.database;
  for (const column of columns.filter(({ notNull, name }) => !notNull && !WITHOUT_EVENT[name])) {
    client.run(`update pets set ${column.name} = ?`, [otherValue(column)]);
    client.run("delete from pet_events");
    client.run(`update pets set ${column.name} = null`);
    client.run(`update pets set ${column.name} = ?`, [otherValue(column)]);
    expect(client.query("select kind from pet_events").values()).toEqual([["changed"], ["changed"]]);
  }
});
