import { useMutation } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { Field } from "./parts/field.tsx";
import { Page } from "./parts/page.tsx";
import { signIn, useSessionRefresh } from "./session.tsx";

/** Shown at every address while nobody is signed in; the address stays. */
export const SignIn = () => {
  const refresh = useSessionRefresh();
  const [secret, setSecret] = useState("");
  const entering = useMutation({
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
            entering.mutate(secret);
          }}
        >
          <Field
            label="API key"
            hint={
              <>
                It begins with <code>aas_</code>. The first one lies in <code>admin.key</code>, in the
                server's data directory.
              </>
            }
            error={entering.error?.message}
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
          <button type="submit" aria-busy={entering.isPending} disabled={entering.isPending}>
            Sign in
          </button>
        </form>
      </Page>
    </main>
  );
};
