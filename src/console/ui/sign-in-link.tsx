import { useEffect, useRef, useState } from "preact/hooks";
import { hasCode } from "./api/client.ts";
import { ActionButton } from "./parts/action-button.tsx";
import { Problem } from "./parts/feedback.tsx";
import { Page } from "./parts/page.tsx";
import { useAction } from "./parts/use-action.ts";
import { callAuth } from "./passkeys.ts";
import { SIGN_IN, SIGN_IN_LINK } from "./words.ts";

/** True at the address of a link that signs the operator in. */
export const isSignInLink = (): boolean => location.pathname === "/console/sign-in";

const Link = () => {
  const [token] = useState(() => location.hash.slice(1));
  const ways = useRef<HTMLParagraphElement>(null);
  useEffect(() => ways.current?.querySelector("button")?.focus(), []);
  const signingIn = useAction({
    act: () => callAuth("POST", "link", { token }),
    // A new page: the address with the token is gone from the history.
    onDone: () => location.replace("/console"),
  });
  const isFinal = token === "" || hasCode(signingIn.error, "invalid_invitation");
  if (isFinal)
    return (
      <Page title={SIGN_IN_LINK.problem}>
        <Problem error={new Error(SIGN_IN_LINK.invalid)} />
        <p>
          <a href="/console" target="_top">
            {SIGN_IN_LINK.other}
          </a>
        </p>
      </Page>
    );
  return (
    <Page title={SIGN_IN_LINK.title}>
      <p>{SIGN_IN_LINK.text}</p>
      {signingIn.error && <Problem error={signingIn.error} />}
      <p class="ways" ref={ways}>
        <ActionButton action={signingIn}>{SIGN_IN_LINK.submit}</ActionButton>
      </p>
    </Page>
  );
};

/** The page of a link that signs the operator in. Opening it does not use the link: the button does. */
export const SignInLinkPage = () => (
  <main class="container sign-in">
    <p class="product">{SIGN_IN.product}</p>
    <Link />
  </main>
);
