import { useRoute } from "../parts/router.ts";
import { pluralize } from "../parts/count.ts";
import { Empty, Loading, Problem } from "../parts/feedback.tsx";
import { More } from "../parts/more.tsx";
import { Page } from "../parts/page.tsx";
import { NewKey } from "./new.tsx";
import { useKeys } from "./queries.ts";
import { RevokeKey } from "./revoke.tsx";
import { RotateKey } from "./rotate.tsx";
import { Rows } from "./rows.tsx";

const List = () => {
  const found = useKeys();
  if (found.isPending) return <Loading what="Loading keys" />;
  const keys = found.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <>
      {found.error && <Problem error={found.error} onRetry={found.refetch} />}
      {found.data && keys.length === 0 && <Empty title="No keys yet" />}
      {keys.length > 0 && (
        <>
          <Rows keys={keys} />
          <More
            words={`${pluralize(keys.length, "key")} shown`}
            hasMore={found.hasNextPage}
            isBusy={found.isFetchingNextPage}
            onMore={found.fetchNextPage}
          />
          <p class="explained">
            Deprecated calls, counted since the server started, use operations that will be removed. Tell the
            users of such keys.
          </p>
        </>
      )}
    </>
  );
};

/** The API keys: what each may do, and whether it is still used. */
export const Keys = () => {
  const { id = "", part } = useRoute().params;
  return (
    <Page
      title="Keys"
      actions={
        <a class="button" href="/console/keys/new">
          New key
        </a>
      }
    >
      <List />
      {id === "new" && <NewKey />}
      {part === "rotate" && <RotateKey key={id} id={id} />}
      {part === "revoke" && <RevokeKey key={id} id={id} />}
    </Page>
  );
};
