import { finishDialog } from "./navigation.ts";
import { type Toast, useToast } from "./toasts.tsx";

/**
 * Returns a function that leaves a dialog whose work is done, and shows a toast. Going back does not open the dialog again.
 * `useAction` does it by itself.
 */
export const useFinish = () => {
  const toast = useToast();
  return (at: string, message: string | Toast): void => {
    finishDialog(at);
    toast(message);
  };
};
