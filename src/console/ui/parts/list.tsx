import type { ComponentChildren } from "preact";
import { shownOf } from "./count.ts";
import { Empty, Loading, Problem } from "./feedback.tsx";
import { More } from "./more.tsx";
import type { Listing } from "./use-list.ts";

/**
 * The states of a list: loading, a problem, empty, its rows, and the button for more.
 *
 *     <List found={useKeys()} thing="key" empty={<Empty title="No keys yet" />}>
 *       {(keys) => <Rows keys={keys} />}
 *     </List>
 */
export const List = <Item,>({
  found,
  items = found.items,
  thing,
  things,
  shown,
  all,
  error = found.error,
  empty,
  isWaiting = false,
  children,
}: {
  found: Listing<Item>;
  /** What is shown, if more than what was read: such as items that were just added. */
  items?: readonly Item[];
  /** What an item is: "key". */
  thing: string;
  things?: string;
  /** How many of the items the list counts, if not all of them: a change may have taken some out of its filter. */
  shown?: number;
  /** How many there are, if it is known. */
  all?: number | undefined;
  /** Null if the error is shown elsewhere. */
  error?: Error | null;
  /** Shown if there is nothing. */
  empty?: ComponentChildren;
  /** Something else that the rows need is still loading. */
  isWaiting?: boolean;
  children: (items: readonly Item[]) => ComponentChildren;
}) => {
  if (found.isPending || isWaiting) return <Loading what={`Loading ${things ?? `${thing}s`}`} />;
  return (
    <>
      {error && <Problem error={error} onRetry={found.refetch} />}
      {found.data && items.length === 0 && (empty ?? <Empty title={`No ${things ?? `${thing}s`} yet`} />)}
      {items.length > 0 && (
        <div class={found.isPlaceholderData ? "outdated" : ""} aria-busy={found.isPlaceholderData}>
          {children(items)}
          <More
            words={shownOf(shown ?? items.length, all, found.hasNextPage, thing, things)}
            hasMore={found.hasNextPage}
            isBusy={found.isFetchingNextPage}
            onMore={found.fetchNextPage}
          />
        </div>
      )}
    </>
  );
};
