import { t } from "elysia";
import { Id, Text, storedText } from "../../http/schemas.ts";
import { schemaChecker } from "../../http/validation.ts";

const Name = Text("CategoryName", {
  max: 100,
  description: "The name of the category. Names are unique, and case and spacing make no difference.",
  examples: ["Dogs"],
});

export const NewCategory = t.Object(
  { name: Name },
  { $id: "NewCategory", additionalProperties: false, description: "A category to add." },
);

const newCategoryChecker = schemaChecker(NewCategory);

/** Why a name from elsewhere, such as a file, breaks the rules of `POST /v1/categories`; undefined if it does not. */
export const problemOfName = (name: string): string | undefined =>
  newCategoryChecker.accepts({ name }) ? undefined : newCategoryChecker.explain({ name });

export const CategoryChange = t.Object(
  { name: t.Optional(Name) },
  {
    $id: "CategoryChange",
    additionalProperties: false,
    description: "The fields to change. Absent fields keep their value (RFC 7396).",
  },
);

export const Category = t.Object(
  {
    id: Id("Unique identifier, assigned by the service. Animals refer to it in `categoryId`.", 3),
    name: storedText(Name),
  },
  { $id: "Category", description: "A category of animals." },
);

export const Categories = t.Array(Category, {
  $id: "Categories",
  maxItems: 100,
  description: "Categories in ascending order of id.",
});
