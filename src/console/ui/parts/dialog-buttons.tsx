/** The end of a dialog: the way back, and the button that does what the dialog is for. */
export const DialogButtons = ({
  back,
  backLabel = "Cancel",
  word,
  isBusy,
  isDangerous = false,
  isPossible = true,
  act,
}: {
  back: string;
  /** Where "Cancel" would be misread. */
  backLabel?: string;
  /** What is done. */
  word: string;
  isBusy: boolean;
  /** Nothing brings back what it ends. */
  isDangerous?: boolean;
  isPossible?: boolean;
  /** Without it the form that they stand in is submitted. */
  act?: () => void;
}) => (
  <footer>
    <a class="button secondary outline" href={back}>
      {backLabel}
    </a>
    <button
      type={act ? "button" : "submit"}
      class={isDangerous ? "danger" : ""}
      aria-busy={isBusy}
      disabled={isBusy || !isPossible}
      onClick={act}
    >
      {word}
    </button>
  </footer>
);
