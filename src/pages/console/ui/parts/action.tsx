import { type QueryKey, useMutation, useQueryClient } from "@tanstack/preact-query";
import type { ComponentProps } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { newIdempotencyKey } from "../api/client.ts";
import { finishDialog } from "./navigation.ts";
import { type Toast, useToast } from "./toasts.tsx";

/** An action. `run` passes `Input` to it, and the API returns `Result`. */
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
  /** The toast. */
  says?: (result: Result, input: Input) => Toast | string | undefined;
  /** Takes the action back. The toast then has Undo. */
  undo?: (result: Result, input: Input) => Promise<unknown>;
  /** Shows an error as a toast. Use it on pages without space for a `Problem`. */
  isErrorToast?: boolean;
}

const toastOf = (said: Toast | string | undefined): Toast | undefined =>
  typeof said === "string" ? { words: said } : said;

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
      const said = toastOf(says?.(result, input));
      if (said) toast({ ...undoOf(result, input), ...said });
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
