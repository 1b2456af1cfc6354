import { OnceShown } from "../parts/once-shown.tsx";
import { Time } from "../parts/time.tsx";
import type { InvitedPerson } from "./person.ts";
import { PATH } from "./queries.ts";
import { INVITATION, UNSENT } from "./words.ts";

/** A new invitation's link. Only its hash is stored, so it is shown only once. */
export const LinkOnce = ({ person: { invitation } }: { person: InvitedPerson }) => (
  <OnceShown text={invitation.link} back={PATH} words={{ ...INVITATION, question: UNSENT }}>
    {INVITATION.send} {INVITATION.expires} <Time at={invitation.expiresAt} />.
  </OnceShown>
);
