import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { type Question, setAsk } from "./leaving.ts";

const Asking = ({ question, answer }: { question: Question; answer: (isLeaving: boolean) => void }) => {
  const element = useRef<HTMLDialogElement>(null);
  const stay = useRef<HTMLButtonElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const dialog = element.current!;
    dialog.showModal();
    stay.current?.focus();
    return () => dialog.close();
  }, []);
  const keep = () => answer(false);
  return (
    <dialog
      ref={element}
      role="alertdialog"
      aria-labelledby={`${id}-title`}
      aria-describedby={`${id}-text`}
      onCancel={(event) => {
        event.preventDefault();
        keep();
      }}
      onClose={keep}
    >
      <article>
        <header>
          <h2 id={`${id}-title`}>{question.title}</h2>
        </header>
        <p id={`${id}-text`}>{question.text}</p>
        <footer>
          <button ref={stay} type="button" onClick={keep}>
            {question.stay}
          </button>
          <button type="button" class="danger" onClick={() => answer(true)}>
            {question.leave}
          </button>
        </footer>
      </article>
    </dialog>
  );
};

interface Asked {
  question: Question;
  answer: (isLeaving: boolean) => void;
}

/** Asks before unsaved work is left. Render it once. */
export const LeaveDialog = () => {
  const [asked, setAsked] = useState<Asked>();
  useEffect(() => {
    setAsk((question) => {
      const { promise, resolve } = Promise.withResolvers<boolean>();
      setAsked({ question, answer: resolve });
      return promise.finally(() => setAsked(undefined));
    });
  }, []);
  return asked ? <Asking {...asked} /> : null;
};
