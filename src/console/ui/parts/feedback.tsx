import type { ComponentChildren } from "preact";
import type { Tone } from "./tone.ts";

export type { Tone } from "./tone.ts";

/** While something is fetched: as tall as what comes, so that nothing jumps. */
export const Loading = ({ what = "Loading", isForm = false }: { what?: string; isForm?: boolean }) => (
  <p class={isForm ? "loading form" : "loading"} aria-busy="true">
    {what}…
  </p>
);

/** An error in words, with a way on. */
export const Problem = ({
  error,
  again,
  retryLabel = "Try again",
}: {
  error: Error;
  again?: () => unknown;
  retryLabel?: string;
}) => (
  <div class="notice problem" role="alert">
    <p>{error.message}</p>
    {again && (
      <button type="button" class="secondary outline" onClick={() => void again()}>
        {retryLabel}
      </button>
    )}
  </div>
);

/** Where a list would be that has nothing yet. */
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
