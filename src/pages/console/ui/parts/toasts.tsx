import { type ComponentChildren, createContext } from "preact";
import { useCallback, useContext, useEffect, useRef, useState } from "preact/hooks";
import { Sentence } from "./text.tsx";
import { useHidden } from "./visibility.ts";

/** A short message about a completed action. */
export interface Toast {
  words: string;
  /** A link to the result. */
  link?: { href: string; label: string };
  /** Takes the action back. The toast shows the error if it rejects. */
  undo?: () => Promise<unknown>;
  /** `bad`: it did not work. */
  tone?: "good" | "bad";
}

type Shown = Toast & { id: number };

const SHOWN_MS = 6000;
const MAX_TOASTS = 3;

type Say = (toast: Toast | string) => void;

const Current = createContext<Say>(() => {});

/**
 * Returns a function that shows a toast for 6 seconds, at any page:
 * `toast({ words: "“Bella” changed", undo: () => changeBack() })`. `useAction` calls it by itself.
 */
export const useToast = () => useContext(Current);

/** Calls `onEnd` after `ms`, not counting the time in which it is paused. */
const useCountdown = (ms: number, isPaused: boolean, onEnd: () => void) => {
  const left = useRef(ms);
  useEffect(() => {
    if (isPaused) return undefined;
    const begin = performance.now();
    const timer = setTimeout(onEnd, left.current);
    return () => {
      clearTimeout(timer);
      left.current -= performance.now() - begin;
    };
  }, [isPaused]);
};

const Item = ({ toast, say, close }: { toast: Shown; say: Say; close: () => void }) => {
  const { words, link, undo, tone = "good" } = toast;
  const [isPointed, setPointed] = useState(false);
  const [isFocused, setFocused] = useState(false);
  const [isBusy, setBusy] = useState(false);
  useCountdown(SHOWN_MS, [isPointed, isFocused, useHidden()].includes(true), close);
  const takeBack = async () => {
    if (isBusy) return;
    setBusy(true);
    try {
      await undo?.();
      say("Undone");
    } catch (error) {
      say({ words: (error as Error).message, tone: "bad" });
    }
    close();
  };
  return (
    <div
      class={`toast ${tone}`}
      onPointerEnter={() => setPointed(true)}
      onPointerLeave={() => setPointed(false)}
      onFocusIn={() => setFocused(true)}
      onFocusOut={() => setFocused(false)}
    >
      <p>
        <Sentence text={words} />
      </p>
      {link && (
        <a href={link.href} onClick={close}>
          {link.label}
        </a>
      )}
      {undo && (
        <button
          type="button"
          class="link"
          aria-busy={isBusy}
          aria-disabled={isBusy}
          onClick={() => void takeBack()}
        >
          Undo
        </button>
      )}
      <button type="button" class="close" aria-label="Dismiss" onClick={close} />
    </div>
  );
};

/** Shows the toasts of the pages inside it. The live region exists before its toasts: screen readers announce only changes. */
export const Toasts = ({ children }: { children: ComponentChildren }) => {
  const [shown, setShown] = useState<readonly Shown[]>([]);
  const next = useRef(0);
  const say = useCallback((given: Toast | string) => {
    const toast = typeof given === "string" ? { words: given } : given;
    setShown((before) => [...before, { ...toast, id: next.current++ }].slice(-MAX_TOASTS));
  }, []);
  const close = (id: number) => setShown((before) => before.filter((one) => one.id !== id));
  return (
    <Current.Provider value={say}>
      {children}
      <section class="toasts" aria-label="Messages" role="status" aria-atomic="false">
        {shown.map((toast) => (
          <Item key={toast.id} toast={toast} say={say} close={() => close(toast.id)} />
        ))}
      </section>
    </Current.Provider>
  );
};
