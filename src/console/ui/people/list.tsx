import { useQueryClient } from "@tanstack/preact-query";
import { Empty } from "../parts/feedback.tsx";
import { List } from "../parts/list.tsx";
import { Page } from "../parts/page.tsx";
import { useRoute } from "../parts/router.ts";
import { useLive } from "../parts/use-live.ts";
import { AddPerson } from "./add.tsx";
import { ChangePerson } from "./change.tsx";
import { InvitePerson } from "./invite.tsx";
import { PATH, PEOPLE, usePeople } from "./queries.ts";
import { RemovePerson } from "./remove.tsx";
import { Rows } from "./rows.tsx";
import { LIST } from "./words.ts";

const LIVE_MS = 30_000;

/** The people who sign in to the console. */
export const People = () => {
  const queries = useQueryClient();
  const { id = "", part } = useRoute().params;
  useLive(() => queries.invalidateQueries({ queryKey: PEOPLE }), LIVE_MS);
  return (
    <Page
      title={LIST.title}
      actions={
        <a class="button" href={`${PATH}/new`}>
          {LIST.add}
        </a>
      }
    >
      <List
        found={usePeople()}
        thing="person"
        things="people"
        empty={
          <Empty title={LIST.empty}>
            <p>{LIST.emptyText}</p>
          </Empty>
        }
      >
        {(people) => <Rows people={people} />}
      </List>
      {id === "new" && <AddPerson />}
      {part === "edit" && <ChangePerson key={id} id={id} />}
      {part === "invite" && <InvitePerson key={id} id={id} />}
      {part === "remove" && <RemovePerson key={id} id={id} />}
    </Page>
  );
};
