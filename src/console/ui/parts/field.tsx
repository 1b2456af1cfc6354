import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { Sentence } from "./sentence.tsx";

export { fieldError, generalError } from "./field-errors.ts";

/** A control with its label, and a hint or the API's error below it. */
export const Field = ({
  label,
  hint,
  error,
  children,
}: {
  label: string;
  hint?: ComponentChildren;
  error?: string | undefined;
  /** The control. It takes the attributes that tie it to its label and hint. */
  children: (tied: { id: string; "aria-describedby": string; "aria-invalid"?: "true" }) => ComponentChildren;
}) => {
  const id = useId();
  const words = error ?? hint;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, "aria-describedby": `${id}-words`, ...(error && { "aria-invalid": "true" as const }) })}
      <small id={`${id}-words`} class={error ? "wrong" : ""} role={error ? "alert" : undefined}>
        {typeof words === "string" ? <Sentence text={words} /> : words}
      </small>
    </div>
  );
};
