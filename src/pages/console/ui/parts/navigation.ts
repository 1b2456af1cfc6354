import { useLocation as useRouterLocation } from "preact-iso/router";

/** The question before a user leaves something unsaved. */
export interface Question {
  title: string;
  text: string;
  stay: string;
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

export { useRoute } from "preact-iso/router";

/** The user's position on an entry of the history: it survives a reload, and ends with the tab. */
interface Place {
  y: number;
  /** How many pages of each list were loaded. */
  pages: Record<string, number>;
}

const STORED = "places";
const MAX_PLACES = 50;

const readPlaces = (): [string, Place][] => {
  try {
    return JSON.parse(sessionStorage.getItem(STORED) ?? "[]") as [string, Place][];
  } catch {
    return [];
  }
};

const places = new Map<string, Place>(readPlaces());

/** The place of an entry. Change it in place. @param key of the entry */
export const placeOf = (key: string): Place => {
  const place = places.get(key) ?? { y: 0, pages: {} };
  places.set(key, place);
  return place;
};

/** Stores the places for the next load of this tab. */
const storePlaces = (): void => {
  try {
    sessionStorage.setItem(STORED, JSON.stringify([...places].slice(-MAX_PLACES)));
  } catch {
    // Without storage, a reload begins at the top.
  }
};

/** After so long, the content is not expected any more. */
const PATIENCE_MS = 10_000;
/** With these, the user scrolls or works on the page. */
const INPUTS = ["wheel", "touchstart", "pointerdown", "keydown"] as const;

let endRestoring: (() => void) | undefined;

const stopRestoring = (): void => endRestoring?.();

/** Scrolls to `y` as soon as the page is tall enough, unless the user is faster. */
const restoreScroll = (y: number): void => {
  endRestoring?.();
  const attempt = () => {
    scrollTo({ top: y, behavior: "instant" });
    if (Math.abs(scrollY - y) <= 1) endRestoring?.();
  };
  const growth = new ResizeObserver(attempt);
  const patience = setTimeout(() => endRestoring?.(), PATIENCE_MS);
  endRestoring = () => {
    growth.disconnect();
    clearTimeout(patience);
    for (const input of INPUTS) removeEventListener(input, stopRestoring);
    endRestoring = undefined;
  };
  for (const input of INPUTS) addEventListener(input, stopRestoring, { passive: true });
  growth.observe(document.documentElement);
  attempt();
};

/**
 * The history of the console. Every entry keeps its scroll position. A dialog costs one entry: closing it goes back to the page
 * below, and a link inside a dialog replaces it, so that Back never opens it again.
 */
interface Entry {
  /** Counts up, which tells Back from Forward. */
  index: number;
  key: string;
  /** The address of the entry below, if the console pushed this one. */
  below?: string;
}

const ROOT = /^\/console(?:[/?]|$)/;

let entry: Entry = { index: 0, key: "" };
/** The dialog that is open, and where closing it leads to. */
let dialog: { back: string } | undefined;
let isGoingBack = false;

const newKey = (): string => crypto.getRandomValues(new Uint32Array(2)).join("-");
const isEntry = (state: unknown): state is Entry => typeof (state as Entry | null)?.key === "string";

const here = (): string => location.pathname + location.search;

export const entryKey = (): string => entry.key;

/** Declares that a dialog is open, until the returned function is called. */
export const declareDialog = (back: string): (() => void) => {
  const opened = { back };
  dialog = opened;
  return () => {
    if (dialog === opened) dialog = undefined;
  };
};

/** Goes to an address. The scroll position stays if a dialog opens or closes, or only the query changes. */
const go = (url: string, isReplacing: boolean): void => {
  const [from, before] = [here(), entry];
  stopRestoring();
  placeOf(before.key).y = scrollY;
  if (isReplacing || dialog || url === from) history.replaceState(before, "", url);
  else {
    entry = { index: before.index + 1, key: newKey(), below: from };
    history.pushState(entry, "", url);
  }
  const isSamePage = dialog?.back === url || from.split("?")[0] === location.pathname;
  // The router follows `popstate`, and leaves the scroll position alone.
  dispatchEvent(new PopStateEvent("popstate"));
  requestAnimationFrame(() => {
    // A dialog covers the page, whose place it has.
    if (dialog) places.set(entry.key, structuredClone(placeOf(before.key)));
    else if (!isSamePage) scrollTo({ top: 0, behavior: "instant" });
  });
};

/** Goes to an address, after asking if something is unsaved. */
const navigate = (url: string, isReplacing = false): void => void leave(() => go(url, isReplacing));

const goBack = (back: string): void => {
  if (entry.below === undefined) return go(back, true);
  if (isGoingBack) return;
  isGoingBack = true;
  history.back();
};

/** Closes a dialog: back to the page from which it was opened, or to `back` if its address was opened directly. */
export const closeDialog = (back: string): void => void leave(() => goBack(back));

/** Continues after a dialog has done its work: nothing is asked, and Back does not open the dialog again. */
export const finishDialog = (at: string): void => {
  disarm();
  if (dialog?.back === at) goBack(at);
  else go(at, true);
};

const onPopState = (event: PopStateEvent): void => {
  if (!event.isTrusted) return;
  isGoingBack = false;
  const to = isEntry(event.state) ? event.state : { index: entry.index + 1, key: newKey() };
  if (to.key === entry.key) return event.stopImmediatePropagation();
  if (isGuarded()) {
    // The browser has gone already: return, then ask.
    event.stopImmediatePropagation();
    const steps = to.index - entry.index;
    history.go(-steps);
    return void leave(() => history.go(steps));
  }
  entry = to;
  if (!isEntry(event.state)) history.replaceState(entry, "");
  requestAnimationFrame(() => restoreScroll(placeOf(entry.key).y));
};

/** The link of a press that the browser would follow in this tab. */
const linkOf = (event: MouseEvent): HTMLAnchorElement | undefined => {
  if (event.defaultPrevented || event.button !== 0) return undefined;
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return undefined;
  const link = (event.target as Element | null)?.closest?.("a");
  if (!link?.href || link.hasAttribute("download") || !/^(_self)?$/i.test(link.target)) return undefined;
  return link;
};

const onClick = (event: MouseEvent): void => {
  const link = linkOf(event);
  if (!link || link.origin !== location.origin || !ROOT.test(link.pathname) || link.hash !== "") return;
  event.preventDefault();
  // The router must not follow it too.
  event.stopPropagation();
  const url = link.pathname + link.search;
  if (dialog?.back === url) closeDialog(url);
  else navigate(url);
};

/** Takes over the history of this tab. Call it once, before the router is rendered: its listeners come first. */
export const startNavigation = (): void => {
  history.scrollRestoration = "manual";
  entry = isEntry(history.state) ? history.state : { index: 0, key: newKey() };
  history.replaceState(entry, "");
  addEventListener("popstate", onPopState);
  document.addEventListener("click", onClick);
  document.addEventListener("scroll", () => {
    if (!endRestoring) placeOf(entry.key).y = scrollY;
  });
  addEventListener("beforeunload", (event) => {
    if (isGuarded("console")) event.preventDefault();
  });
  addEventListener("pagehide", storePlaces);
  restoreScroll(placeOf(entry.key).y);
};

/**
 * The current address, and `route(url, isReplacing)` to go to another. Use this instead of the router's own, which scrolls to
 * the top. Links need nothing: a press on any link below /console is followed here.
 */
export const useLocation = () => {
  const { url, path, query } = useRouterLocation();
  return { url, path, query, route: navigate };
};

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
