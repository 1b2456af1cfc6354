import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { useFieldError } from "./form.tsx";
import { Sentence } from "./sentence.tsx";

/** A control with its label, and a hint or the error of its field below it. */
export const Field = ({
  label,
  name = "",
  hint,
  error: given,
  children,
}: {
  label: string;
  /** The field's name in the API: the `Form` around it shows an error about it here. */
  name?: string;
  hint?: ComponentChildren;
  /** An error that is not of the form. */
  error?: string | undefined;
  /** The control. It takes the attributes that tie it to its label and hint. */
  children: (tied: { id: string; "aria-describedby": string; "aria-invalid"?: "true" }) => ComponentChildren;
}) => {
  const id = useId();
  const found = useFieldError(name);
  const error = given ?? found;
  const words = error ?? hint;
  return (
    <div class={error ? "field invalid" : "field"} data-field={name || undefined}>
      <label for={id}>{label}</label>
      {children({ id, "aria-describedby": `${id}-words`, ...(error && { "aria-invalid": "true" as const }) })}
      <small id={`${id}-words`} class={error ? "wrong" : ""} role={error ? "alert" : undefined}>
        {typeof words === "string" ? <Sentence text={words} /> : words}
      </small>
    </div>
  );
};
