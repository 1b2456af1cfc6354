import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Empty, Loading, Problem } from "./feedback.tsx";
import { Table, type TableProps } from "./table.tsx";
import { shownOf } from "./wording.ts";

/** How much of a list is shown, and the button that loads the next page. */
const More = ({
  words,
  hasMore,
  isBusy,
  onMore,
}: {
  /** "50 of 1,234 animals shown" */
  words: string;
  hasMore: boolean;
  isBusy: boolean;
  onMore: () => unknown;
}) => {
  const shown = useRef<HTMLParagraphElement>(null);
  const wasPressed = useRef(false);
  // The button disappears with the last page: keep the focus here, and the first new row in view. A layout effect:
  // in the next frame, lost focus would move to the heading.
  useLayoutEffect(() => {
    if (!hasMore && wasPressed.current) shown.current?.focus({ preventScroll: true });
  }, [hasMore]);
  return (
    <div class="more">
      <p ref={shown} role="status" tabIndex={-1}>
        {words}
      </p>
      {hasMore && (
        <button
          type="button"
          class="secondary outline"
          aria-busy={isBusy}
          onClick={() => {
            wasPressed.current = true;
            if (!isBusy) void onMore();
          }}
        >
          Show more
        </button>
      )}
    </div>
  );
};

/** The query results that a list shows: one by `useList`, or one that reads all items together and has no next page. */
interface Found<Item> {
  data: object | undefined;
  error: Error | null;
  isPending: boolean;
  isPlaceholderData: boolean;
  refetch: () => unknown;
  items?: readonly Item[];
  hasNextPage?: boolean;
  isFetchingNextPage?: boolean;
  fetchNextPage?: () => unknown;
}

/**
 * The states of a list: loading, a problem, empty, its rows, and the button for more.
 *
 *     <List found={useKeys()} thing="key" table={{ label: "Keys", columns: COLUMNS, keyOf: byId }} />
 */
export const List = <Item,>({
  found,
  items = found.items ?? [],
  thing,
  things = `${thing}s`,
  shown,
  all,
  words,
  error = found.error,
  purpose,
  empty,
  isWaiting = false,
  table,
  children = (items) => table && <Table {...table} items={items} />,
}: {
  found: Found<Item>;
  /** The items to show if they differ from the query's, such as items that were just added. */
  items?: readonly Item[];
  /** The name of an item: "key". */
  thing: string;
  things?: string;
  /** How many of the items the list counts, if not all of them: a change may have taken some out of its filter. */
  shown?: number;
  /** The number of all items, if available. */
  all?: number | undefined;
  /** How much is shown, if the numbers do not tell. */
  words?: string;
  /** Null if the error is shown elsewhere. */
  error?: Error | null;
  /** The purpose of the items: shown while the list has none yet. */
  purpose?: string;
  /** Shown instead of the purpose if the list is empty. */
  empty?: ComponentChildren;
  /** Something else that the rows need is still loading. */
  isWaiting?: boolean;
  /** The table that shows the items. */
  table?: Omit<TableProps<Item>, "items">;
  /** Shows the items in another way. */
  children?: (items: readonly Item[]) => ComponentChildren;
}) => {
  const { hasNextPage = false } = found;
  if (found.isPending || isWaiting) return <Loading what={`Loading ${things}`} />;
  return (
    <>
      {error && <Problem error={error} onRetry={found.refetch} />}
      {found.data &&
        items.length === 0 &&
        (empty ?? <Empty title={`No ${things} yet`}>{purpose && <p>{purpose}</p>}</Empty>)}
      {items.length > 0 && (
        <div class={found.isPlaceholderData ? "outdated" : ""} aria-busy={found.isPlaceholderData}>
          {children(items)}
          <More
            words={words ?? shownOf(shown ?? items.length, all, hasNextPage, thing, things)}
            hasMore={hasNextPage}
            isBusy={found.isFetchingNextPage ?? false}
            onMore={() => found.fetchNextPage?.()}
          />
        </div>
      )}
    </>
  );
};
