import type { ComponentChildren } from "preact";
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
  error: Error;
  onRetry?: () => unknown;
  retryLabel?: string;
}) => (
  <div class="notice problem" role="alert">
    <p>{error.message}</p>
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

export const Notice = ({ tone, children }: { tone: Tone; children: ComponentChildren }) => (
  <div class={`notice ${tone}`}>{children}</div>
);
