import { sql } from "drizzle-orm";
import type { Statement } from "../../../data/db/commit.ts";
import { petEvents, pets } from "../../../data/db/schema/pets.ts";
import { insert, statement, value } from "../../../data/db/statement.ts";

const IS_PET = sql`${pets.id} = ${value("petId")}`;

// The revision stays: a part is not what `If-Match` of a change of the animal names.
const TOUCH = statement(sql`
  UPDATE ${pets} SET ${sql.identifier(pets.updatedAt.name)} = ${value("now")} WHERE ${IS_PET}`);

const EVENT = statement(sql`
  ${insert(petEvents, {
    kind: sql`'changed'`,
    petId: pets.id,
    name: pets.name,
    categoryId: pets.categoryId,
    status: pets.status,
    part: value("part"),
  })}
  FROM ${pets}
  WHERE ${IS_PET}`);

/**
 * The statements of every write of a part of an animal. The first makes triggers write the event of the animal's addition before
 * this one.
 */
export const partChanged = (
  petId: number,
  part: NonNullable<(typeof petEvents.$inferSelect)["part"]>,
  now: number,
): Statement[] => [TOUCH.with({ petId, now }), EVENT.with({ petId, part })];
