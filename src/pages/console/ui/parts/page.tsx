import { useEffect, useRef, useState } from "preact/hooks";
import { type ComponentChildren, Fragment } from "preact";
import { type Tone, formatCount, shortRelative } from "./wording.ts";
import { isGone } from "../api/client.ts";

/** A name in quotes, or one that `isolated` has marked. */
const NAMES = /(?<=“)([^”]*)(?=”)|\u2068([^\u2069]*)\u2069/;

/** A sentence with names. Each name is isolated, so that one written from right to left leaves the rest in order. */
export const Sentence = ({ text }: { text: string }) => (
  <>
    {text.split(NAMES).map((part, index) => (part && index % 3 > 0 ? <bdi key={index}>{part}</bdi> : part))}
  </>
);

/** An e-mail address. A long one breaks after its @ and its dots. */
export const Email = ({ address }: { address: string }) => (
  <bdi class="email">
    {address.split(/(?<=[@.])/).map((part, index) => (
      <>
        {index > 0 && <wbr />}
        {part}
      </>
    ))}
  </bdi>
);

const TICK_MS = 15_000;

const listeners = new Set<() => void>();
let ticking: ReturnType<typeof setInterval> | undefined;

const tick = (): void => {
  for (const listener of listeners) listener();
};

/** Ticks while there are listeners and the tab is visible. */
const adjust = (): void => {
  clearInterval(ticking);
  ticking = listeners.size > 0 && !document.hidden ? setInterval(tick, TICK_MS) : undefined;
};

document.addEventListener("visibilitychange", () => {
  if (!document.hidden) tick();
  adjust();
});

/** A value that depends on the current time, from the one clock of the app. The component is rendered when the value changes. */
export const useClock = <Value extends string | number>(read: (now: number) => Value): Value => {
  const current = useRef(read);
  current.current = read;
  const [, setValue] = useState(() => read(Date.now()));
  useEffect(() => {
    const listener = () => setValue(current.current(Date.now()));
    listeners.add(listener);
    if (listeners.size === 1) adjust();
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) adjust();
    };
  }, []);
  return read(Date.now());
};

export const useNow = (): number => useClock((now) => now);

/** A time relative to now, with the absolute time on hover. It stays up to date. */
export const Time = ({ at }: { at: string }) => {
  const date = new Date(at);
  const words = useClock((now) => shortRelative((date.getTime() - now) / 1000));
  return (
    <time dateTime={at} title={date.toLocaleString()}>
      {words}
    </time>
  );
};

const SHOWN_MS = 2000;

interface CopyProps {
  text: string;
  /** Names the text for screen readers. */
  what: string;
  onCopied?: () => void;
}

export const CopyButton = ({ text, what, onCopied }: CopyProps) => {
  const [state, setState] = useState<"" | "Copied" | "Copy it by hand">("");
  useEffect(() => {
    if (state === "") return undefined;
    const timer = setTimeout(() => setState(""), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setState("Copied");
      onCopied?.();
    } catch {
      // Browsers offer the clipboard only over HTTPS and on localhost.
      setState("Copy it by hand");
    }
  };
  return (
    <>
      <button
        type="button"
        class="copy secondary outline"
        aria-label={`Copy ${what}`}
        onClick={() => void copy()}
      >
        {state || "Copy"}
      </button>
      <span class="visually-hidden" role="status">
        {state}
      </span>
    </>
  );
};

/** Shown while something loads. It is as tall as the content, so that nothing jumps. */
export const Loading = ({ what = "Loading", isForm = false }: { what?: string; isForm?: boolean }) => (
  <p class={isForm ? "loading form" : "loading"} aria-busy="true">
    {what}…
  </p>
);

interface ProblemProps {
  error: Error | string;
  onRetry?: (() => unknown) | undefined;
  retryLabel?: string;
}

export const Problem = ({ error, onRetry, retryLabel = "Try again" }: ProblemProps) => (
  <div class="notice problem" role="alert">
    <p>{typeof error === "string" ? error : error.message}</p>
    {onRetry && (
      <button type="button" class="secondary outline" onClick={() => void onRetry()}>
        {retryLabel}
      </button>
    )}
  </div>
);

export const Empty = ({ title, children }: { title: string; children?: ComponentChildren }) => (
  <div class="empty">
    <p>
      <strong>{title}</strong>
    </p>
    {children}
  </div>
);

export const Badge = ({ tone, children }: { tone: Tone; children: ComponentChildren }) => (
  <span class={`badge ${tone}`}>{children}</span>
);

interface NoticeProps {
  tone: Tone;
  text?: string;
  children?: ComponentChildren;
}

export const Notice = ({ tone, text, children }: NoticeProps) => (
  <div class={`notice ${tone}`}>
    {text !== undefined && <p>{text}</p>}
    {children}
  </div>
);

/** Facts with their names. An absent fact is left out. */
export const Facts = ({ facts }: { facts: readonly (readonly [name: string, ComponentChildren])[] }) => (
  <dl class="facts">
    {facts.map(
      ([name, fact]) =>
        fact && (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd>{fact}</dd>
          </Fragment>
        ),
    )}
  </dl>
);

/** The states of one thing: loading, a problem, and its content. What is gone is not asked for again. */
export const One = <Data,>({
  found: { data, error, refetch },
  what,
  isForm = false,
  withErrors = false,
  children,
}: {
  found: { data: Data | undefined; error: Error | null; refetch: () => unknown };
  /** The name of the thing: "the key". */
  what: string;
  isForm?: boolean;
  /** Shows the error of a later read too, above the content. */
  withErrors?: boolean;
  children: (data: Data) => ComponentChildren;
}) => (
  <>
    {error && (withErrors || data === undefined) && (
      <Problem error={error} onRetry={isGone(error) ? undefined : refetch} />
    )}
    {data === undefined && !error && <Loading what={`Loading ${what}`} isForm={isForm} />}
    {data !== undefined && children(data)}
  </>
);

interface Tab {
  href: string;
  name: string;
  isCurrent: boolean;
}

/** Links to the parts of a page. `label` names them for screen readers. */
export const Tabs = ({ label, tabs }: { label: string; tabs: readonly Tab[] }) => (
  <nav aria-label={label} class="areas">
    <ul>
      {tabs.map(({ href, name, isCurrent }) => (
        <li key={href}>
          <a href={href} aria-current={isCurrent ? "page" : undefined}>
            {name}
          </a>
        </li>
      ))}
    </ul>
  </nav>
);

/** A count with its name. It takes the same space while it loads. */
export const Count = ({ name, count }: { name: string; count: number | undefined }) => (
  <>
    <span>{name}</span> <strong>{count === undefined ? "\u2013" : formatCount(count)}</strong>
  </>
);

interface CountTabsProps {
  label: string;
  tabs: readonly (Tab & { count?: number | undefined })[];
  children?: ComponentChildren;
}

/** Links to parts or forms of a list, such as one for each status with its count. */
export const CountTabs = ({ label, tabs, children }: CountTabsProps) => (
  <nav class="tiles" aria-label={label}>
    <ul>
      {tabs.map(({ href, name, isCurrent, ...tab }) => (
        <li key={name}>
          <a href={href} aria-current={isCurrent ? "true" : undefined}>
            {"count" in tab ? <Count name={name} count={tab.count} /> : name}
          </a>
        </li>
      ))}
      {children}
    </ul>
  </nav>
);

/**
 * A heading that takes the focus if the focused element no longer exists, as after a link. Not when the document was
 * loaded: then the browser begins at the top.
 */
const useArrival = () => {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (document.activeElement === document.body && performance.now() > 1000)
      heading.current?.focus({ preventScroll: true });
  }, []);
  return heading;
};

export const Back = ({ href, label }: Button) => (
  <nav class="back" aria-label="Back">
    <a href={href}>
      <span aria-hidden="true">← </span>
      {label}
    </a>
  </nav>
);

/** The heading of a part of a page, which takes the focus as that of a page does. */
export const PartHeading = ({ children }: { children: ComponentChildren }) => (
  <h2 ref={useArrival()} tabIndex={-1}>
    {children}
  </h2>
);

interface Button {
  href: string;
  label: string;
}

interface PageProps {
  /** It is the document's title too, and takes the focus. */
  title: string;
  /** The part of the page that is shown, for the document's title. */
  part?: string | undefined;
  /** The list that the page belongs to. */
  back?: Button;
  /** The link to the dialog that adds an item. */
  add?: Button | false;
  actions?: ComponentChildren;
  children: ComponentChildren;
}

export const Page = ({ title, part, back, add, actions, children }: PageProps) => {
  const heading = useArrival();
  useEffect(() => {
    document.title = `${part ? `${part} – ` : ""}${title} – Adoption store`;
  }, [title, part]);
  return (
    <>
      {back && <Back {...back} />}
      <header class="page">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {(add || actions) && (
          <div class="actions">
            {add && (
              <a class="button" href={add.href}>
                {add.label}
              </a>
            )}
            {actions}
          </div>
        )}
      </header>
      {children}
    </>
  );
};
