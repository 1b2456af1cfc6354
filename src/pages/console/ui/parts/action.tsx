import { type ComponentChildren, type ComponentProps, createContext } from "preact";
import { useCallback, useContext, useEffect, useRef, useState } from "preact/hooks";
import { type QueryKey, useMutation, useQueryClient } from "@tanstack/preact-query";
import { Sentence } from "./page.tsx";
import { useHidden } from "./queries.ts";
import { newIdempotencyKey } from "../api/client.ts";
import { finishDialog } from "./navigation.ts";

interface Toast {
  words: string;
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

interface Action<Input, Result> {
  act: (input: Input) => Promise<Result>;
  /** True if the input changes nothing: then nothing is sent, nothing is said, and the dialog closes. */
  isUnchanged?: (input: Input) => boolean;
  /** The cache keys of data that becomes stale, even after an error: another user may have changed it first. */
  changes?: readonly QueryKey[];
  /** Patches the caches with the result, so that the page shows it immediately. Awaited before the dialog closes. */
  onDone?: (result: Result, input: Input) => unknown;
  onFailed?: (error: Error, input: Input) => unknown;
  /** The address to go to: the dialog's `back`, or the page of the result. Without it, the address stays. */
  at?: string | ((result: Result, input: Input) => string);
  says?: (result: Result, input: Input) => Toast | string | undefined;
  /** Takes the action back. The toast then has Undo. */
  undo?: (result: Result, input: Input) => Promise<unknown>;
  /** Shows an error as a toast. Use it on pages without space for a `Problem`. */
  isErrorToast?: boolean;
}

/**
 * An action on the API: it sends the request, refreshes or patches the page's data, closes the dialog and shows a toast.
 *
 *     const rename = useAction({
 *       act: (name: string) => dataOf(store.PATCH(...)),
 *       changes: [CATEGORIES],
 *       at: categoriesPath(),
 *       says: ({ name }) => `Renamed to “${name}”`,
 *     });
 *     rename.run("Dogs"); rename.error; rename.isPending
 *
 * `run` does nothing while the action is under way, so its button needs only `aria-disabled`. If the user has closed the dialog
 * in the meantime, the address stays, and an error becomes a toast. Results are not kept after the component unmounts.
 */
export const useAction = <Input = void, Result = unknown>(action: Action<Input, Result>) => {
  const queries = useQueryClient();
  const toast = useToast();
  const isMounted = useRef(true);
  const isRunning = useRef(false);
  useEffect(
    () => () => {
      isMounted.current = false;
    },
    [],
  );
  const refresh = () => {
    for (const queryKey of action.changes ?? []) void queries.invalidateQueries({ queryKey });
  };
  const undoOf = (result: Result, input: Input) => {
    const { undo } = action;
    // A mutation as well, so that whatever follows one follows it too.
    const taking = undo && { mutationFn: () => undo(result, input), onSettled: refresh, gcTime: 0 };
    return taking && { undo: () => queries.getMutationCache().build(queries, taking).execute(undefined) };
  };
  const mutation = useMutation<Result, Error, Input>({
    mutationFn: (input) => action.act(input),
    async onSuccess(result, input) {
      const { onDone, at, says } = action;
      await onDone?.(result, input);
      if (at !== undefined && isMounted.current)
        finishDialog(typeof at === "string" ? at : at(result, input));
      const said = says?.(result, input);
      if (said) toast({ ...undoOf(result, input), ...(typeof said === "string" ? { words: said } : said) });
    },
    async onError(error, input) {
      await action.onFailed?.(error, input);
      if (action.isErrorToast || !isMounted.current) toast({ words: error.message, tone: "bad" });
    },
    onSettled() {
      isRunning.current = false;
      refresh();
    },
    gcTime: 0,
  });
  const skip = (): void => {
    mutation.reset();
    if (typeof action.at === "string") finishDialog(action.at);
  };
  const run = (input: Input): void => {
    if (isRunning.current) return;
    if (action.isUnchanged?.(input)) return skip();
    isRunning.current = true;
    mutation.mutate(input);
  };
  return { ...mutation, run };
};

export type ActionState<Input = void, Result = unknown> = ReturnType<typeof useAction<Input, Result>>;

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

/**
 * The header with which a request can be repeated safely until its response arrives. The key stays the same while the
 * component is mounted.
 */
export const useIdempotencyKey = (): { "Idempotency-Key": string } => {
  const [key] = useState(newIdempotencyKey);
  return { "Idempotency-Key": key };
};
