import { useEffect, useState } from "preact/hooks";

const SHOWN_MS = 2000;

/** Copies a text. `what` names it for screen readers. */
export const CopyButton = ({
  text,
  what,
  onCopied,
}: {
  text: string;
  what: string;
  onCopied?: () => void;
}) => {
  const [state, setState] = useState<"" | "Copied" | "Copy it by hand">("");
  useEffect(() => {
    if (state === "") return undefined;
    const timer = setTimeout(() => setState(""), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setState("Copied");
      onCopied?.();
    } catch {
      // Browsers offer the clipboard only over HTTPS and on localhost.
      setState("Copy it by hand");
    }
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
