import { useState } from "preact/hooks";

const SHOWN_MS = 2000;

/** Copies a text; `what` names it for whoever cannot see which it is. */
export const CopyButton = ({ text, what }: { text: string; what: string }) => {
  const [state, setState] = useState<"" | "Copied" | "Select it by hand">("");
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setState("Copied");
    } catch {
      // Browsers give the clipboard to pages over HTTPS or of this machine only.
      setState("Select it by hand");
    }
    setTimeout(() => setState(""), SHOWN_MS);
  };
  return (
    <>
      <button
        type="button"
        class="copy secondary outline"
        aria-label={`Copy ${what}`}
        onClick={() => void copy()}
      >
        {state || "Copy"}
      </button>
      <span class="visually-hidden" role="status">
        {state}
      </span>
    </>
  );
};
