import { useMutation } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { Field } from "./parts/field.tsx";
import { Page } from "./parts/page.tsx";
import { signIn, useSessionRefresh } from "./session.tsx";

/** Shown at every address while nobody is signed in. The address stays, and opens after signing in. */
export const SignIn = () => {
  const refresh = useSessionRefresh();
  const [secret, setSecret] = useState("");
  const signingIn = useMutation({
    async mutationFn(secret: string) {
      await signIn(secret.trim());
      if (!(await refresh()).signedIn)
        throw new Error("Your browser did not keep the session: open the console at its https:// address.");
    },
  });
  return (
    <main class="container sign-in">
      <Page title="Sign in">
        <form
          onSubmit={(event) => {
            event.preventDefault();
            signingIn.mutate(secret);
          }}
        >
          <Field
            label="API key"
            hint={
              <>
                It begins with <code>aas_</code>. The first key is in the file <code>admin.key</code> in the
                server's data directory.
              </>
            }
            error={signingIn.error?.message}
          >
            {(tied) => (
              <input
                {...tied}
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
          <button type="submit" aria-busy={signingIn.isPending} disabled={signingIn.isPending}>
            Sign in
          </button>
        </form>
      </Page>
    </main>
  );
};
