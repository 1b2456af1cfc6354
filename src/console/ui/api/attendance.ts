/** The user is there for so long after a press or a key. */
const ATTENDED_MS = 60_000;

let lastInput = Date.now();

const onInput = (): void => {
  lastInput = Date.now();
};

for (const type of ["pointerdown", "keydown", "wheel", "touchstart"])
  addEventListener(type, onInput, { capture: true, passive: true });

/** False for what the page does by itself, such as polling: it must not keep the session alive. */
export const isAttended = (): boolean => Date.now() - lastInput < ATTENDED_MS;
