import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { ApiError } from "../api/client.ts";
import { Loading, Problem } from "../parts/feedback.tsx";
import { useSession } from "../session.tsx";
import { type Key, mayChange, stateOf } from "./key.ts";
import { useKey } from "./queries.ts";
import { ONE } from "./words.ts";

const REVOKED = new Error(ONE.revoked);
const BEYOND = new Error(ONE.beyond);

/** Loads a key for a dialog. Refuses revoked keys, and keys that may do more than one's own. */
export const OneKey = ({
  id,
  children,
}: {
  /** From the address. */
  id: string;
  children: (key: Key, isOwn: boolean) => ComponentChildren;
}) => {
  const { user: own } = useSession();
  const { data: key, error, refetch } = useKey(id);
  const content = useRef<HTMLDivElement>(null);
  // The dialog opened before its content was loaded.
  useEffect(() => content.current?.querySelector<HTMLElement>("select, footer a")?.focus(), [!key]);
  if (error instanceof ApiError && error.status === 404) return <Problem error={error} />;
  if (!key) return error ? <Problem error={error} onRetry={refetch} /> : <Loading what={ONE.loading} />;
  if (stateOf(key, Date.now()) === "revoked") return <Problem error={REVOKED} />;
  if (!mayChange(own, key)) return <Problem error={BEYOND} />;
  return <div ref={content}>{children(key, own.kind === "key" && key.id === own.id)}</div>;
};
