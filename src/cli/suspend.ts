let deferrals = 0;
let isRequested = false;

const suspend = () => {
  isRequested = false;
  process.kill(process.pid, "SIGSTOP");
};

/**
 * Lets Ctrl-Z stop the process only between two turns of the event loop. A write transaction begins and ends within one turn,
 * so a stopped process never holds the write lock.
 */
export const suspendBetweenTurns = (): void => {
  process.on("SIGTSTP", () => {
    isRequested = true;
    if (deferrals === 0) suspend();
  });
};

interface Deferral extends Disposable {
  /** True after Ctrl-Z: the process stops when the last deferral ends. */
  isRequested(): boolean;
}

/** Defers Ctrl-Z while a snapshot of the database stays open over several turns. */
export const deferSuspension = (): Deferral => {
  deferrals++;
  return {
    isRequested: () => isRequested,
    [Symbol.dispose]() {
      deferrals--;
      if (deferrals === 0 && isRequested) suspend();
    },
  };
};
