import { type ComponentChildren, type ComponentProps, createContext } from "preact";
import { useContext, useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ActionState } from "./action.tsx";
import { CopyButton, Notice, One, Problem, Sentence } from "./page.tsx";
import { Check, Form } from "./form.tsx";
import { type Question, closeDialog, declareDialog, guard, returnFocus, setAsk } from "./navigation.ts";

const DRAFT: Question = {
  title: "Discard your changes?",
  text: "What you entered has not been saved.",
  stay: "Keep editing",
  leave: "Discard",
};

/**
 * While `isDirty`, asks before the user leaves by a link, Escape, ×, Back, or by closing the tab. A dialog does it with its
 * property `isDirty`; a form on a page calls this. An action that succeeded with `useAction` leaves without asking.
 */
export const useDraftGuard = (isDirty: boolean, question: Question = DRAFT): void =>
  useLayoutEffect(() => (isDirty ? guard(question) : undefined), [isDirty, question]);

/**
 * Focuses the first control, but not the close button before it. The content may load after the dialog opens. Before the
 * first paint: later, it would take the focus from a fast user.
 */
const useFirstFocus = (element: { current: HTMLDialogElement | null }) => {
  const hasFocused = useRef(false);
  useLayoutEffect(() => {
    if (hasFocused.current) return;
    const first = element.current?.querySelector<HTMLElement>(
      "input, select, textarea, footer a, footer button",
    );
    first?.focus();
    hasFocused.current = first !== null && first !== undefined;
  });
};

const Back = createContext("");

/** The address that the enclosing dialog leads back to. */
const useBack = (): string => useContext(Back);

interface DialogProps {
  title: string;
  back: string;
  /** Something typed would be lost: closing asks first. */
  isDirty?: boolean;
  children: ComponentChildren;
}

/**
 * A dialog with its own address: link to the address to open it. Escape, × and Back lead to the page that opened it, or to
 * `back` if its address was opened directly. Focus and scroll position of the page stay.
 */
export const Dialog = ({ title, back, isDirty = false, children }: DialogProps) => {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  const close = () => closeDialog(back);
  useDraftGuard(isDirty);
  useLayoutEffect(() => declareDialog(back), [back]);
  useLayoutEffect(() => {
    const dialog = element.current!;
    const address = location.pathname + location.search;
    dialog.showModal();
    return () => {
      dialog.close();
      requestAnimationFrame(() => returnFocus(address));
    };
  }, []);
  useFirstFocus(element);
  return (
    <dialog
      ref={element}
      aria-labelledby={id}
      onKeyDown={(event) => {
        // Browsers close the dialog at the second Escape even if `cancel` is prevented.
        if (event.key !== "Escape" || event.defaultPrevented) return;
        event.preventDefault();
        close();
      }}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
    >
      <article>
        <header>
          <button type="button" class="close" aria-label="Close" onClick={close} />
          <h2 id={id}>
            <Sentence text={title} />
          </h2>
        </header>
        <Back.Provider value={back}>{children}</Back.Provider>
      </article>
    </dialog>
  );
};

interface ButtonsProps {
  /** For dialogs in which "Cancel" could be misread. */
  backLabel?: string;
  label: string;
  isBusy: boolean;
  /** The action can't be undone. */
  isDangerous?: boolean;
  isEnabled?: boolean;
  /** Without it, the button submits its form. */
  onConfirm?: () => void;
}

/** The buttons of a dialog: a link back, and the button that confirms. */
export const DialogButtons = ({
  backLabel = "Cancel",
  label,
  isBusy,
  isDangerous = false,
  isEnabled = true,
  onConfirm,
}: ButtonsProps) => (
  <footer>
    <a class="button secondary outline" href={useBack()}>
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

/** The name of the thing that a dialog is about, and what happens to it: "Bella will be deleted." */
export const About = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <p>
    <bdi>
      <strong>{name}</strong>
    </bdi>{" "}
    {children}
  </p>
);

export const Confirm = ({
  action: { error, isPending, run },
  children,
  ...buttons
}: Omit<ButtonsProps, "isBusy" | "onConfirm"> & {
  action: Pick<ActionState, "error" | "isPending" | "run">;
  children: ComponentChildren;
}) => (
  <>
    {error && <Problem error={error} />}
    {children}
    <DialogButtons {...buttons} isBusy={isPending} onConfirm={() => run()} />
  </>
);

export const DialogForm = ({
  action: { error, isPending },
  words = {},
  hidden = [],
  onSubmit,
  children,
  ...buttons
}: Omit<ButtonsProps, "isBusy" | "onConfirm"> &
  Omit<ComponentProps<typeof Form>, "error"> & { action: Pick<ActionState, "error" | "isPending"> }) => (
  <Form error={error} words={words} hidden={hidden} onSubmit={onSubmit}>
    {children}
    <DialogButtons {...buttons} isBusy={isPending} />
  </Form>
);

/** A dialog about one item of a list that is read as a whole. */
export const ItemDialog = <Item,>({
  thing,
  found,
  find,
  children,
  ...dialog
}: Pick<DialogProps, "title" | "back"> & {
  /** The name of an item: "category". */
  thing: string;
  found: ComponentProps<typeof One<readonly Item[]>>["found"];
  find: (item: Item) => boolean;
  children: (item: Item) => ComponentChildren;
}) => (
  <Dialog {...dialog}>
    <One found={found} what={`the ${thing}`} withErrors>
      {(items) => {
        const item = items.find(find);
        return item ? children(item) : <Problem error={`This ${thing} no longer exists.`} />;
      }}
    </One>
  </Dialog>
);

/** The `ref` of a dialog that is open while it is rendered. */
export const useModal = () => {
  const element = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const dialog = element.current!;
    dialog.showModal();
    return () => dialog.close();
  }, []);
  return element;
};

const Asking = ({ question, answer }: { question: Question; answer: (isLeaving: boolean) => void }) => {
  const element = useModal();
  const stay = useRef<HTMLButtonElement>(null);
  const id = useId();
  // Safari focuses no button by itself.
  useLayoutEffect(() => stay.current?.focus(), []);
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

interface OnceProps {
  text: string;
  /** The thing that is shown: "the secret". */
  what: string;
  /** That it is shown only once. */
  once: string;
  /** The tick that replaces Copy. */
  stored: string;
  /** Asked before it is left uncopied. It is always the same object. */
  question: Question;
  children: ComponentChildren;
}

/** A secret in a dialog. It is stored nowhere: Done waits for Copy or a tick, and leaving it before asks. */
export const OnceShown = ({ text, what, once, stored, question, children }: OnceProps) => {
  const back = useBack();
  const shown = useRef<HTMLElement>(null);
  const [isStored, setStored] = useState(false);
  useDraftGuard(!isStored, question);
  useEffect(() => shown.current?.focus(), []);
  return (
    <>
      <div role="alert">
        <Notice tone="waiting">
          <p>
            <strong>{once}</strong> {children}
          </p>
        </Notice>
      </div>
      <p class="secret">
        <code ref={shown} tabIndex={-1} aria-label={what.replace("t", "T")}>
          {text}
        </code>
        <CopyButton text={text} what={what} onCopied={() => setStored(true)} />
      </p>
      <Check name="stored" isChecked={isStored} onCheck={setStored}>
        {stored}
      </Check>
      <footer>
        <button type="button" aria-disabled={!isStored} onClick={() => isStored && closeDialog(back)}>
          Done
        </button>
      </footer>
    </>
  );
};
