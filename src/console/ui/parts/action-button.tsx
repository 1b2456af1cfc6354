import type { ComponentProps } from "preact";
import type { ActionState } from "./use-action.ts";

/** A button that runs an action. It is busy until the action ends. */
export const ActionButton = ({
  action: { isPending, run },
  ...attributes
}: ComponentProps<"button"> & { action: Pick<ActionState, "isPending" | "run"> }) => (
  <button
    type="button"
    aria-busy={isPending}
    aria-disabled={isPending}
    onClick={() => run()}
    {...attributes}
  />
);
