import type { ComponentChildren } from "preact";
import { hasCode } from "../api/client.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Loading, Problem } from "../parts/feedback.tsx";
import { useSession } from "../session.tsx";
import { type Person, isSelf, mayManage } from "./person.ts";
import { PATH, usePerson } from "./queries.ts";
import { ONE } from "./words.ts";

const BEYOND = new Error(ONE.beyond);

/** A dialog about one person. Refuses people who may do more than the user. */
export const OnePerson = ({
  id,
  title,
  children,
}: {
  /** From the address. */
  id: string;
  title: string;
  children: (person: Person, isOwn: boolean) => ComponentChildren;
}) => {
  const { user } = useSession();
  const { data: person, error, refetch } = usePerson(id);
  return (
    <Dialog title={title} back={PATH}>
      {!person && !error && <Loading what={ONE.loading} isForm />}
      {!person && error && (
        <Problem error={error} {...(!hasCode(error, "not_found") && { onRetry: refetch })} />
      )}
      {person && !mayManage(user, person.role) && <Problem error={BEYOND} />}
      {person && mayManage(user, person.role) && children(person, isSelf(user, person))}
    </Dialog>
  );
};
