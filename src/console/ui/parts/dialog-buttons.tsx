/** The buttons of a dialog: a link back, and the button that confirms. */
export const DialogButtons = ({
  back,
  backLabel = "Cancel",
  label,
  isBusy,
  isDangerous = false,
  isEnabled = true,
  onConfirm,
}: {
  back: string;
  /** For dialogs in which "Cancel" could be misread. */
  backLabel?: string;
  label: string;
  isBusy: boolean;
  /** The action can't be undone. */
  isDangerous?: boolean;
  isEnabled?: boolean;
  /** Without it, the button submits its form. */
  onConfirm?: () => void;
}) => (
  <footer>
    <a class="button secondary outline" href={back}>
      {backLabel}
    </a>
    <button
      type={onConfirm ? "button" : "submit"}
      class={isDangerous ? "danger" : ""}
      aria-busy={isBusy}
      aria-disabled={isBusy || !isEnabled}
      onClick={(event) => {
        if (isBusy || !isEnabled) event.preventDefault();
        else onConfirm?.();
      }}
    >
      {label}
    </button>
  </footer>
);
