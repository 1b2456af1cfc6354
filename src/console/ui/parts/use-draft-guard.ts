import { useLayoutEffect } from "preact/hooks";
import { type Question, guard } from "./leaving.ts";

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
