/** Whole answers, ready to be cloned, in bounded memory; shared by all sites. */
export interface KeptAnswers {
  get(name: string): Response | undefined;
  keep(name: string, answer: Response, bytes: number): void;
}

/** What an answer takes beside its body. */
const OVERHEAD = 1024;

/** Keeps answers up to so many bytes; the oldest go first. */
export const keptAnswers = (most: number): KeptAnswers => {
  const answers = new Map<string, { answer: Response; bytes: number }>();
  let total = 0;

  const drop = (name: string) => {
    total -= answers.get(name)?.bytes ?? 0;
    answers.delete(name);
  };

  return {
    get: (name) => answers.get(name)?.answer,
    keep(name, answer, size) {
      const bytes = size + OVERHEAD + 2 * name.length;
      drop(name);
      for (const oldest of answers.keys()) {
        if (total + bytes <= most) break;
        drop(oldest);
      }
      if (total + bytes > most) return;
      answers.set(name, { answer, bytes });
      total += bytes;
    },
  };
};
