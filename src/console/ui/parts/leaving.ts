/** What the user is asked before they leave something unsaved. */
export interface Question {
  title: string;
  text: string;
  /** The button that stays. */
  stay: string;
  /** The button that leaves. */
  leave: string;
}

type Ask = (question: Question) => Promise<boolean>;

let questions: readonly Question[] = [];
let isAsking = false;
let ask: Ask = ({ title, text }) => Promise.resolve(confirm(`${title}\n${text}`));

/** Sets how a question is asked. It resolves to true if the user leaves. */
export const setAsk = (given: Ask): void => {
  ask = given;
};

/** Asks before leaving, until the returned function is called. */
export const guard = (question: Question): (() => void) => {
  questions = [...questions, question];
  return () => {
    questions = questions.filter((one) => one !== question);
  };
};

export const isGuarded = (): boolean => questions.length > 0;

/** Leaves without asking: the work was saved, or the user has given it up. */
export const disarm = (): void => {
  questions = [];
};

/** Leaves at once if nothing is unsaved, otherwise after the user has agreed. */
export const leave = async (proceed: () => void): Promise<void> => {
  const question = questions.at(-1);
  if (!question) return proceed();
  if (isAsking) return;
  isAsking = true;
  const isAgreed = await ask(question).finally(() => {
    isAsking = false;
  });
  if (!isAgreed) return;
  disarm();
  proceed();
};
