import type { ComponentChildren, ComponentProps } from "preact";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { useQuery } from "@tanstack/preact-query";
import { callAuth, hasCode } from "./api/client.ts";
import { ActionButton, useAction } from "./parts/action.tsx";
import { useModal } from "./parts/dialog.tsx";
import { Loading, Notice, Page, Problem, Time } from "./parts/page.tsx";
import { Field, Form, TextField, useDraft } from "./parts/form.tsx";
import { acceptInvitation, hasPasskeys, signInWithPasskey } from "./passkeys.ts";
import { signIn, useOidc, useSession, useSessionRefresh } from "./session.tsx";
import { NO_PASSKEYS, PASSKEY_FIELDS, type Person, ROLES } from "./people/people.tsx";

const ENDED = "Your session has ended";
const OTHER_WAY = "Sign in another way";

const hasPersonButtons = (oidc: string | undefined): boolean => hasPasskeys() || oidc !== undefined;

const useSignIn = <Input = void,>(act: (input: Input) => Promise<void>) => {
  const refresh = useSessionRefresh();
  return useAction({
    async act(input: Input) {
      await act(input);
      if (!(await refresh()).signedIn)
        throw new Error("Your browser did not keep the session. Open the console at its https:// address.");
    },
  });
};

/** Buttons for people: a passkey, and the provider if there is one. The first one takes the focus. */
const PersonButtons = ({ oidc, isAbove = false }: { oidc: string | undefined; isAbove?: boolean }) => {
  const signingIn = useSignIn(signInWithPasskey);
  const element = useRef<HTMLDivElement>(null);
  // Before the page is painted: a later focus would override the user's first Tab.
  useLayoutEffect(() => element.current?.querySelector<HTMLElement>("button, a")?.focus(), []);
  return (
    <div class="ways" ref={element}>
      {signingIn.error && <Problem error={signingIn.error} />}
      {hasPasskeys() && <ActionButton action={signingIn}>Sign in with a passkey</ActionButton>}
      {oidc !== undefined && (
        // A target keeps the console from following the link itself.
        <a
          class="button secondary outline"
          href={`/console/auth/oidc?to=${encodeURIComponent(isAbove ? "/console" : location.pathname)}`}
          target={isAbove ? "_blank" : "_top"}
        >
          Sign in with {oidc}
        </a>
      )}
      {oidc !== undefined && isAbove && (
        <small>This opens a new tab. Come back here when you have signed in.</small>
      )}
    </div>
  );
};

/** Signs in with an API key. The field takes the focus. @param isSecond there are buttons above it */
const KeyForm = ({ isSecond = false }: { isSecond?: boolean }) => {
  const input = useRef<HTMLInputElement>(null);
  const [secret, setSecret] = useState("");
  const { error, isPending, run } = useSignIn(signIn);
  // At first too, and again at each error.
  useLayoutEffect(() => input.current?.focus(), [error]);
  const isWrong = hasCode(error, "invalid_api_key");
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        run(secret.trim());
      }}
    >
      {error && !isWrong && <Problem error={error} />}
      <Field
        label="API key"
        hint="Paste the key you were given (it starts with aas_)."
        error={isWrong ? error?.message : undefined}
      >
        {(inputProps) => (
          <input
            {...inputProps}
            ref={input}
            type="password"
            name="key"
            autocomplete="current-password"
            spellcheck={false}
            required
            value={secret}
            onInput={(event) => setSecret(event.currentTarget.value)}
          />
        )}
      </Field>
      <button
        type="submit"
        class={isSecond ? "secondary outline" : ""}
        aria-busy={isPending}
        aria-disabled={isPending}
      >
        Sign in
      </button>
    </form>
  );
};

/** The ways to sign in. The field for a key appears on request, unless it is the only way. */
const Ways = ({ oidc }: { oidc: string | undefined }) => {
  const [usesKey, setUsesKey] = useState(false);
  if (!hasPersonButtons(oidc)) return <KeyForm />;
  return (
    <>
      <PersonButtons oidc={oidc} />
      {usesKey ? (
        <>
          <p class="or">or with a key</p>
          <KeyForm isSecond />
        </>
      ) : (
        <p class="use-key">
          <button type="button" class="link" onClick={() => setUsesKey(true)}>
            Use an API key
          </button>
        </p>
      )}
    </>
  );
};

/** Why a provider's visitor is not signed in, by `?sign-in=`. */
const OIDC_PROBLEMS: Readonly<Record<string, string>> = {
  unavailable: "The other service did not respond. Try again later.",
  denied: "The other service did not sign you in. Try again, or use another way.",
  expired: "Signing in took too long, or began in another browser. Try again.",
  email_not_verified: "Verify your e-mail address with the other service, then try again.",
  unknown_person:
    "No person has this account's e-mail address. Ask an administrator to add it. To use another account, first sign out of the other service.",
  rate_limited: "Too many attempts. Wait a few minutes, then try again.",
};

export const Outside = ({ children }: { children: ComponentChildren }) => (
  <main class="container sign-in">
    <p class="product">Adoption store</p>
    {children}
  </main>
);

/** Shown at every address while no user is signed in. The address stays, and opens after signing in. */
export const SignIn = ({ hasEnded, oidc }: { hasEnded: boolean; oidc: string | undefined }) => {
  const problem = OIDC_PROBLEMS[new URLSearchParams(location.search).get("sign-in") ?? ""];
  return (
    <Outside>
      <Page title="Sign in">
        {problem !== undefined && <Problem error={problem} />}
        {hasEnded && (
          <div role="status">
            <Notice tone="waiting" text={`${ENDED}. Sign in again to continue.`} />
          </div>
        )}
        <Ways oidc={oidc} />
        <details>
          <summary>I can't sign in</summary>
          <p>New here, or lost your device? Ask an administrator for an invitation.</p>
          <p>No administrator yet? On the server, run adoption-store people invite --first.</p>
        </details>
        <p class="links">
          <a href="/manual">Read the manual</a>
        </p>
      </Page>
    </Outside>
  );
};

/** The way to sign in again as the same user. The operator can leave the page, because links end with the first administrator. */
const SignInAgain = ({ oidc }: { oidc: string | undefined }) => {
  const { user } = useSession();
  if (user.kind === "operator")
    return (
      <button type="button" onClick={() => location.reload()}>
        {OTHER_WAY}
      </button>
    );
  if (user.kind === "person" && hasPersonButtons(oidc)) return <PersonButtons oidc={oidc} isAbove />;
  return <KeyForm />;
};

/**
 * Shown above a page with unsaved work, which stays. It closes when the same user signs in again, so it offers only their way
 * to sign in: another user would lose the work.
 */
export const SessionEnded = ({ oidc }: { oidc: string | undefined }) => {
  const { user } = useSession();
  const id = useId();
  return (
    <dialog
      ref={useModal()}
      class="session-ended"
      aria-labelledby={`${id}-title`}
      aria-describedby={`${id}-text`}
      onKeyDown={(event) => {
        // Browsers close a dialog at the second Escape even if `cancel` is prevented.
        if (event.key === "Escape") event.preventDefault();
      }}
      onCancel={(event) => event.preventDefault()}
    >
      <article>
        <header>
          <h2 id={`${id}-title`}>{ENDED}</h2>
        </header>
        <p id={`${id}-text`}>
          {user.kind === "operator" ? (
            "To continue, open a new sign-in link in another tab. What you entered is still here."
          ) : (
            <>
              {user.kind === "person" ? "Sign in again as" : "Sign in again with the key"}{" "}
              <bdi>
                <strong>{user.name}</strong>
              </bdi>{" "}
              to continue. What you entered is still here.
            </>
          )}
        </p>
        <SignInAgain oidc={oidc} />
      </article>
    </dialog>
  );
};

/** The page of a link that signs the operator in. Opening it does not use the link: the button does. */
export const SignInLink = () => {
  const [token] = useState(() => location.hash.slice(1));
  const ways = useRef<HTMLParagraphElement>(null);
  useEffect(() => ways.current?.querySelector("button")?.focus(), []);
  const signingIn = useAction({
    act: () => callAuth("POST", "link", { token }),
    // A new page, so that the address with the token leaves the history.
    onDone: () => location.replace("/console"),
  });
  const isFinal = token === "" || hasCode(signingIn.error, "invalid_invitation");
  if (isFinal)
    return (
      <Page title="This link doesn't work">
        <Problem error="The link is incomplete, used or expired, or the store already has an administrator. Without an administrator, run adoption-store people invite --first." />
        <p>
          <a href="/console" target="_top">
            {OTHER_WAY}
          </a>
        </p>
      </Page>
    );
  return (
    <Page title="Welcome">
      <p>
        This link signs you in once, with all permissions. Then add yourself as an administrator under People.
      </p>
      {signingIn.error && <Problem error={signingIn.error} />}
      <p class="ways" ref={ways}>
        <ActionButton action={signingIn}>Sign in</ActionButton>
      </p>
    </Page>
  );
};

type Invited = Pick<Person, "name" | "email" | "role"> & { expiresAt: string };

const Welcome = ({ token, invited }: { token: string; invited: Invited }) => {
  const { name, email, role, expiresAt } = invited;
  const oidc = useOidc();
  const { draft, bind } = useDraft({ name: "" });
  const accepting = useAction({
    act: (device: string) => acceptInvitation(token, device.trim()),
    // A new page: it clears data that another user may have opened here, and the link with its token.
    onDone: () => location.replace("/console"),
  });
  return (
    <Page title={`Welcome, ${name}`}>
      <p>
        You are invited to sign in here as {ROLES[role].as}, with the e-mail address <bdi>{email}</bdi>. This
        invitation expires <Time at={expiresAt} />.
      </p>
      {hasPasskeys() ? (
        <>
          <p>Create a passkey to sign in with this device: with your fingerprint, face or PIN.</p>
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

const NotWorking = (problem: ComponentProps<typeof Problem>) => (
  <Page title="This invitation doesn't work">
    <Problem {...problem} />
    <p>
      <a href="/console" target="_top">
        Go to sign-in
      </a>
    </p>
  </Page>
);

/** The page of an invitation: the person registers a passkey, and is signed in. */
export const Invitation = () => {
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
  return <NotWorking error={error} onRetry={hasCode(error, "invalid_invitation") ? undefined : refetch} />;
};
