import { useQueryClient } from "@tanstack/preact-query";
import { type ComponentChildren, createContext } from "preact";
import { useContext, useEffect, useMemo, useState } from "preact/hooks";
import { KEYS } from "./queries.ts";
import { sendArchive } from "./upload.ts";
import { type Uploads, uploadTracker } from "./uploads.ts";

const Current = createContext<{ uploads: Uploads } | undefined>(undefined);

/** The uploads. Use it only below `UploadsProvider`. */
export const useUploads = (): Uploads => useContext(Current)!.uploads;

const confirmLeaving = (event: BeforeUnloadEvent) => event.preventDefault();

/** Keeps uploads running while pages change. Closing the tab asks first, and signing out cancels them. */
export const UploadsProvider = ({ children }: { children: ComponentChildren }) => {
  const queries = useQueryClient();
  const [changes, setChanges] = useState(0);
  const uploads = useMemo(
    () =>
      uploadTracker(
        sendArchive,
        () => setChanges((before) => before + 1),
        (slug) => void queries.invalidateQueries({ queryKey: KEYS.one(slug) }),
      ),
    [queries],
  );
  const areSending = uploads.areSending();
  useEffect(() => {
    if (!areSending) return undefined;
    addEventListener("beforeunload", confirmLeaving);
    return () => removeEventListener("beforeunload", confirmLeaving);
  }, [areSending]);
  useEffect(() => () => uploads.cancelAll(), [uploads]);
  // A new value with each change, so that components that show an upload render again.
  const value = useMemo(() => ({ uploads }), [uploads, changes]);
  return <Current.Provider value={value}>{children}</Current.Provider>;
};
