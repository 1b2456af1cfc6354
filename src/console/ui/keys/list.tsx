import { useQueryClient } from "@tanstack/preact-query";
import { List } from "../parts/list.tsx";
import { Page } from "../parts/page.tsx";
import { useRoute } from "../parts/router.ts";
import { useLive } from "../parts/use-live.ts";
import { NewKey } from "./new.tsx";
import { KEYS, useKeys } from "./queries.ts";
import { RevokeKey } from "./revoke.tsx";
import { RotateKey } from "./rotate.tsx";
import { Rows } from "./rows.tsx";
import { LIST } from "./words.ts";

const LIVE_MS = 30_000;

/** The API keys: what each may do, and whether it is still used. */
export const Keys = () => {
  const queries = useQueryClient();
  const { id = "", part } = useRoute().params;
  const found = useKeys();
  useLive(() => queries.invalidateQueries({ queryKey: KEYS }), LIVE_MS);
  return (
    <Page
      title={LIST.title}
      actions={
        <a class="button" href="/console/keys/new">
          {LIST.create}
        </a>
      }
    >
      <List found={found} thing="key">
        {(keys) => <Rows keys={keys} />}
      </List>
      {id === "new" && <NewKey />}
      {part === "rotate" && <RotateKey key={id} id={id} />}
      {part === "revoke" && <RevokeKey key={id} id={id} />}
    </Page>
  );
};
