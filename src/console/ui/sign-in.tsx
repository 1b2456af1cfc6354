import { useMutation } from "@tanstack/preact-query";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { hasCode } from "./api/client.ts";
import { Notice, Problem } from "./parts/feedback.tsx";
import { Field } from "./parts/field.tsx";
import { Page } from "./parts/page.tsx";
import { signIn, useSessionRefresh } from "./session.tsx";
import { ENDED, SIGN_IN } from "./words.ts";

/** Signs in with an API key. */
const KeyForm = () => {
  const refresh = useSessionRefresh();
  const input = useRef<HTMLInputElement>(null);
  const [secret, setSecret] = useState("");
  const signingIn = useMutation({
    async mutationFn(secret: string) {
      await signIn(secret);
      if (!(await refresh()).signedIn) throw new Error(SIGN_IN.noCookie);
    },
    gcTime: 0,
  });
  const { error, isPending } = signingIn;
  // At first too, and again at each error.
  useEffect(() => input.current?.focus(), [error]);
  const isWrong = hasCode(error, "invalid_api_key");
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!isPending) signingIn.mutate(secret.trim());
      }}
    >
      {error && !isWrong && <Problem error={error} />}
      <Field label={SIGN_IN.key} hint={SIGN_IN.hint} error={isWrong ? error?.message : undefined}>
        {(tied) => (
          <input
            {...tied}
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
      <button type="submit" aria-busy={isPending} aria-disabled={isPending}>
        {SIGN_IN.submit}
      </button>
    </form>
  );
};

/** Shown at every address while nobody is signed in. The address stays, and opens after signing in. */
export const SignIn = ({ hasEnded }: { hasEnded: boolean }) => (
  <main class="container sign-in">
    <p class="product">{SIGN_IN.product}</p>
    <Page title={SIGN_IN.title}>
      {hasEnded && (
        <div role="status">
          <Notice tone="waiting">
            <p>
              {ENDED.title}. {ENDED.again}
            </p>
          </Notice>
        </div>
      )}
      <KeyForm />
      <details>
        <summary>{SIGN_IN.whereTitle}</summary>
        <p>{SIGN_IN.where}</p>
      </details>
      <p class="links">
        <a href="/manual">{SIGN_IN.manual}</a>
      </p>
    </Page>
  </main>
);

/** Shown above a page with unsaved work, which stays. It closes when the same user signs in again. */
export const SessionEnded = () => {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const dialog = element.current!;
    dialog.showModal();
    return () => dialog.close();
  }, []);
  return (
    <dialog
      ref={element}
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
        <h2 id={`${id}-title`}>{ENDED.title}</h2>
        <p id={`${id}-text`}>{ENDED.keep}</p>
        <KeyForm />
      </article>
    </dialog>
  );
};
