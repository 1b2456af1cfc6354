import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Refusal } from "../api/client.ts";
import { Loading, Problem } from "../parts/feedback.tsx";
import { useSession } from "../session.tsx";
import { type Key, mayChange, stateOf } from "./key.ts";
import { useKey } from "./queries.ts";

const REVOKED = new Error("This key is revoked already.");
const BEYOND = new Error(
  "This key has more scopes, lives longer or has a looser limit than the one you are signed in with.",
);

/** What is done to one key: not to one that is revoked, nor to one that may do more than one's own. */
export const OneKey = ({
  id,
  children,
}: {
  /** As the address names it. */
  id: string;
  children: (key: Key, isOwn: boolean) => ComponentChildren;
}) => {
  const { key: own } = useSession();
  const { data: key, error, refetch } = useKey(id);
  const content = useRef<HTMLDivElement>(null);
  // The dialog was open before there was anything in it.
  useEffect(() => content.current?.querySelector<HTMLElement>("select, footer a")?.focus(), [!key]);
  if (error instanceof Refusal && error.status === 404) return <Problem error={error} />;
  if (!key) return error ? <Problem error={error} again={refetch} /> : <Loading what="Loading the key" />;
  if (stateOf(key, Date.now()) === "revoked") return <Problem error={REVOKED} />;
  if (!mayChange(own, key)) return <Problem error={BEYOND} />;
  return <div ref={content}>{children(key, key.id === own.id)}</div>;
};
