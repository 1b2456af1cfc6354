import { useQuery } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { hasCode } from "../api/client.ts";
import { Loading, Notice, Problem } from "../parts/feedback.tsx";
import { Form, TextField, useDraft } from "../parts/form.tsx";
import { Page } from "../parts/page.tsx";
import { Time } from "../parts/time.tsx";
import { useAction } from "../parts/action.tsx";
import { acceptInvitation, callAuth, hasPasskeys } from "../passkeys.ts";
import { useOidc } from "../session.tsx";
import { Outside } from "../sign-in.tsx";
import { NO_PASSKEYS, PASSKEY_FIELDS, type Person, ROLES } from "./person.ts";

type Invited = Pick<Person, "name" | "email" | "role"> & { expiresAt: string };

/** True at the address of an invitation, which needs no session. */
export const isInvitation = (): boolean => location.pathname === "/console/invitation";

const AcceptForm = ({ token }: { token: string }) => {
  const { draft, bind } = useDraft({ name: "" });
  const accepting = useAction({
    act: (name: string) => acceptInvitation(token, name.trim()),
    // A new page: it clears data that another user may have opened here, and the link with its token.
    onDone: () => location.replace("/console"),
  });
  return (
    <Form error={accepting.error} words={PASSKEY_FIELDS} onSubmit={() => accepting.run(draft.name)}>
      <TextField
        label="Name of this device"
        hint="Optional, such as “My phone”."
        maxLength={60}
        {...bind("name")}
      />
      <button type="submit" aria-busy={accepting.isPending} aria-disabled={accepting.isPending}>
        Create passkey and sign in
      </button>
    </Form>
  );
};

const Welcome = ({
  token,
  invited: { name, email, role, expiresAt },
}: {
  token: string;
  invited: Invited;
}) => {
  const oidc = useOidc();
  return (
    <Page title={`Welcome, ${name}`}>
      <p>
        You are invited to sign in here as {ROLES[role].as}, with the e-mail address <bdi>{email}</bdi>. This
        invitation expires <Time at={expiresAt} />.
      </p>
      {hasPasskeys() ? (
        <>
          <p>Create a passkey to sign in with this device: with your fingerprint, face or PIN.</p>
          <AcceptForm token={token} />
        </>
      ) : (
        <Notice tone="waiting" text={NO_PASSKEYS} />
      )}
      {oidc !== undefined && (
        <p class="ways">
          <a class="button secondary outline" href="/console/auth/oidc" target="_top">
            Sign in with {oidc}
          </a>
          <small>Use the account with this e-mail address.</small>
        </p>
      )}
    </Page>
  );
};

const NotWorking = ({ error, onRetry }: { error: Error | string; onRetry?: () => unknown }) => (
  <Page title="This invitation doesn't work">
    <Problem error={error} {...(onRetry && { onRetry })} />
    <p>
      <a href="/console" target="_top">
        Go to sign-in
      </a>
    </p>
  </Page>
);

const Invitation = () => {
  const [token] = useState(() => location.hash.slice(1));
  const { data, error, refetch } = useQuery({
    queryKey: ["invitation"],
    queryFn: () => callAuth<Invited>("POST", "invitation", { token }),
    enabled: token !== "",
    staleTime: Infinity,
    refetchOnWindowFocus: false,
  });
  if (token === "")
    return <NotWorking error="The link is incomplete. Copy all of it, or ask for a new one." />;
  if (data) return <Welcome token={token} invited={data} />;
  if (!error) return <Loading what="Loading the invitation" />;
  const isFinal = hasCode(error, "invalid_invitation");
  return <NotWorking error={error} {...(!isFinal && { onRetry: refetch })} />;
};

/** The page of an invitation: the person registers a passkey, and is signed in. */
export const InvitationPage = () => (
  <Outside>
    <Invitation />
  </Outside>
);
