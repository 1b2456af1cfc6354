/** The question before a user leaves something unsaved. */
export interface Question {
  title: string;
  text: string;
  /** The button that stays. */
  stay: string;
  /** The button that leaves. */
  leave: string;
}

/** The scope that is left: a page by a link, Back or closing the tab; the console by signing out or closing the tab. */
type Scope = "page" | "console";

type Ask = (question: Question) => Promise<boolean>;

let guards: readonly { question: Question; scope: Scope }[] = [];
let isAsking = false;
let ask: Ask = ({ title, text }) => Promise.resolve(confirm(`${title}\n${text}`));

/** Sets the function that asks a question. It resolves to true if the user leaves. */
export const setAsk = (given: Ask): void => {
  ask = given;
};

/** Asks before leaving, until the returned function is called. */
export const guard = (question: Question, scope: Scope = "page"): (() => void) => {
  const added = { question, scope };
  guards = [...guards, added];
  return () => {
    guards = guards.filter((one) => one !== added);
  };
};

/** Who leaves the console leaves its page too. */
const isConcerned =
  (scope: Scope) =>
  (one: { scope: Scope }): boolean =>
    scope === "console" || one.scope === "page";

export const isGuarded = (scope: Scope = "page"): boolean => guards.some(isConcerned(scope));

/** Leaves the page without asking: the work was saved, or the user has given it up. */
export const disarm = (): void => {
  guards = guards.filter(({ scope }) => scope !== "page");
};

/** Leaves immediately if nothing is unsaved, otherwise after the user has agreed. */
export const leave = async (proceed: () => void, scope: Scope = "page"): Promise<void> => {
  const found = guards.findLast(isConcerned(scope));
  if (!found) return proceed();
  if (isAsking) return;
  isAsking = true;
  const isAgreed = await ask(found.question).finally(() => {
    isAsking = false;
  });
  if (!isAgreed) return;
  disarm();
  proceed();
};
