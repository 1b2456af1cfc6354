import { List } from "../parts/list.tsx";
import { Entries } from "./entries.tsx";
import { type HistoryKind, useHistory } from "./queries.ts";
import { WORDS } from "./words.ts";

/**
 * What happened to a resource, newest first: who did what, and when. Any page can show it.
 *
 *     <History resource="pet" id={7} />
 *     <History resource="project" id="docs" />
 */
export const History = ({ resource, id }: { resource: HistoryKind; id: number | string }) => {
  const found = useHistory(resource, id);
  return (
    <section class="history" aria-label={WORDS.history}>
      <h2>{WORDS.history}</h2>
      <List found={found} thing="entry" things="entries" empty={<p class="explained">{WORDS.noHistory}</p>}>
        {(entries) => <Entries entries={entries} />}
      </List>
    </section>
  );
};
