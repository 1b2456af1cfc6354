import { type ComponentChildren, Fragment } from "preact";
import { isGone } from "../api/client.ts";
import type { Tone } from "./tone.ts";

/** Shown while something loads. It is as tall as the content, so that nothing jumps. */
export const Loading = ({ what = "Loading", isForm = false }: { what?: string; isForm?: boolean }) => (
  <p class={isForm ? "loading form" : "loading"} aria-busy="true">
    {what}…
  </p>
);

/** An error message, with a button to try again. */
export const Problem = ({
  error,
  onRetry,
  retryLabel = "Try again",
}: {
  error: Error | string;
  onRetry?: () => unknown;
  retryLabel?: string;
}) => (
  <div class="notice problem" role="alert">
    <p>{typeof error === "string" ? error : error.message}</p>
    {onRetry && (
      <button type="button" class="secondary outline" onClick={() => void onRetry()}>
        {retryLabel}
      </button>
    )}
  </div>
);

/** Shown instead of an empty list. */
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

export const Notice = ({
  tone,
  text,
  children,
}: {
  tone: Tone;
  text?: string;
  children?: ComponentChildren;
}) => (
  <div class={`notice ${tone}`}>
    {text !== undefined && <p>{text}</p>}
    {children}
  </div>
);

/** Facts about a thing, each with its name. */
export const Facts = ({ facts }: { facts: readonly (readonly [name: string, ComponentChildren])[] }) => (
  <dl class="facts">
    {facts.map(([name, fact]) => (
      <Fragment key={name}>
        <dt>{name}</dt>
        <dd>{fact}</dd>
      </Fragment>
    ))}
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
      <Problem error={error} {...(!isGone(error) && { onRetry: refetch })} />
    )}
    {data === undefined && !error && <Loading what={`Loading ${what}`} isForm={isForm} />}
    {data !== undefined && children(data)}
  </>
);
