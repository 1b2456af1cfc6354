import type { ComponentChildren } from "preact";
import { ApiError } from "../api/client.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Loading, Problem } from "../parts/feedback.tsx";
import { categoriesPath } from "./addresses.ts";
import { type Category, categoryOf } from "./category.ts";
import { useCategories } from "./queries.ts";
import { WORDS } from "./words.ts";

const UNKNOWN = new ApiError(404, "not_found", WORDS.unknown);

/** A dialog about one category. */
export const OneCategory = ({
  id,
  title,
  children,
}: {
  id: number;
  title: string;
  children: (category: Category) => ComponentChildren;
}) => {
  const { data, error, isPending, refetch } = useCategories();
  const category = data && categoryOf(data, id);
  return (
    <Dialog title={title} back={categoriesPath()}>
      {error && <Problem error={error} onRetry={refetch} />}
      {isPending && !error && <Loading what={WORDS.loadingOne} />}
      {data && !category && <Problem error={UNKNOWN} />}
      {category && children(category)}
    </Dialog>
  );
};
