/** The control that had the focus last, and the position of its row. */
interface Last {
  control: HTMLElement;
  row: HTMLTableRowElement | null;
  body: HTMLElement | null;
  at: number;
}

let last: Last | undefined;

const FIRST_ACTION = "td.actions :is(a, button)";

const rowsOf = (body: HTMLElement): HTMLElement[] => [...body.children] as HTMLElement[];

const remember = ({ target }: FocusEvent): void => {
  // A dialog returns the focus to the control that opened it.
  if (!(target instanceof HTMLElement) || target.closest("dialog, .toasts")) return;
  const row = target.closest("tr");
  const body = row?.parentElement ?? null;
  last = { control: target, row, body, at: row && body ? rowsOf(body).indexOf(row) : -1 };
};

/** The first action of the row after the one that had the focus; in the last row, of the rows before it. */
const nextAction = ({ row, body, at }: Last): HTMLElement | undefined => {
  if (!body?.isConnected || at < 0) return undefined;
  const rows = rowsOf(body);
  // Without the row, the rows after it have moved up.
  const next = row?.isConnected ? rows.indexOf(row) + 1 : at;
  return [...rows.slice(next), ...rows.slice(0, next).toReversed()]
    .map((one) => one.querySelector<HTMLElement>(FIRST_ACTION))
    .find((action) => action !== null);
};

const isLost = (): boolean => {
  const { activeElement, body } = document;
  return activeElement === null || activeElement === body;
};

/** Focuses the next row's first action if the focused control no longer exists, otherwise the page's heading. */
const recoverFocus = (): void => {
  if (!isLost() || document.querySelector("dialog[open]")) return;
  if (!last || last.control.isConnected) return;
  const next = nextAction(last) ?? document.querySelector<HTMLElement>("main h1");
  next?.focus();
};

/** Returns the focus to the page after a dialog: to the link that opened it, or to its position without the dialog. */
export const returnFocus = (opener: string): void => {
  if (!isLost()) return;
  const links = document.querySelectorAll<HTMLAnchorElement>("main a[href]");
  const link = [...links].find((one) => one.pathname + one.search === opener);
  if (link) link.focus({ preventScroll: true });
  else recoverFocus();
};

/** The user took the focus away from a control that is still there: nothing is to be recovered. */
const forget = (): void => {
  if (last?.control.isConnected && isLost()) last = undefined;
};

/** Keeps the focus in place when the focused control is removed. Call it once. */
export const keepFocus = (): void => {
  document.addEventListener("focusin", remember);
  document.addEventListener("focusout", () => setTimeout(forget));
  new MutationObserver(recoverFocus).observe(document.body, { childList: true, subtree: true });
};

/** A `ref` for an element that takes the focus when it appears, from a control that no longer exists. */
export const takeFocus = (element: HTMLElement | null): void => element?.focus();
