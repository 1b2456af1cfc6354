import { OnceShown } from "../parts/once-shown.tsx";
import { SECRET, UNSTORED } from "./words.ts";

/** A new secret. It is stored nowhere, so it is shown only once. */
export const SecretOnce = ({ secret, back }: { secret: string; back: string }) => (
  <OnceShown text={secret} back={back} words={{ ...SECRET, question: UNSTORED }}>
    {SECRET.store}
  </OnceShown>
);
