import { type Static, t } from "elysia";
import { Count, Cursor, Id, Int64InQuery, limitOf } from "../http/schemas.ts";
import { Search } from "./model.ts";
import { type CountedPets, DAYS } from "./statistics.ts";

export const StatisticsQuery = t.Object(
  {
    q: t.Optional(Search),
    categoryId: t.Optional(
      Int64InQuery({ description: "Count the animals of this category.", examples: [3] }),
    ),
  },
  { additionalProperties: false },
);

/** From a validated query. */
export const toCountedPets = ({ q, categoryId }: Static<typeof StatisticsQuery>): CountedPets => ({
  q,
  categoryId: categoryId === undefined ? undefined : BigInt(categoryId),
});

const AddedOnDay = t.Object(
  {
    date: t.String({ format: "date", description: "The day, in UTC.", examples: ["2026-11-20"] }),
    count: Count("Number of animals added on this day.", 4),
  },
  { $id: "AddedOnDay", description: "The number of animals added on one day." },
);

const StatusCounts = t.Object(
  {
    available: Count("Number of animals that can be adopted.", 800),
    pending: Count("Number of animals with an adoption in progress.", 30),
    sold: Count("Number of adopted animals.", 400),
    none: Count("Number of animals without a status.", 4),
  },
  { $id: "StatusCounts", description: "The number of animals by status." },
);

export const Statistics = t.Object(
  {
    total: Count("Number of animals.", 1234),
    byStatus: StatusCounts,
    addedByDay: t.Array(AddedOnDay, {
      minItems: DAYS,
      maxItems: DAYS,
      description: `All animals by the day they were added: the last ${DAYS} days, oldest first. The last one is today.`,
    }),
  },
  { $id: "Statistics", description: "The number of animals." },
);

export const CategoryStatistics = t.Array(
  t.Object(
    {
      id: Id("The id of the category.", 3),
      name: t.String({ description: "The name of the category.", examples: ["Dogs"] }),
      total: Count("Number of animals in the category.", 12),
      byStatus: StatusCounts,
    },
    { $id: "CategoryCounts", description: "The number of animals in a category." },
  ),
  { $id: "CategoryStatistics", maxItems: 100, description: "Categories in ascending order of id." },
);

export const CategoryStatisticsQuery = t.Object(
  { limit: t.Optional(limitOf("Maximum number of categories returned.")), cursor: t.Optional(Cursor) },
  { additionalProperties: false },
);
