import { useQueryClient } from "@tanstack/preact-query";
import { type ComponentChildren, createContext } from "preact";
import { useContext, useEffect, useMemo, useState } from "preact/hooks";
import { KEYS } from "./queries.ts";
import { sendArchive } from "./upload.ts";
import { type Uploads, uploadTracker } from "./uploads.ts";

const Current = createContext<{ uploads: Uploads } | undefined>(undefined);

/** What is being uploaded; only below `UploadsProvider`. */
export const useUploads = (): Uploads => useContext(Current)!.uploads;

const ask = (event: BeforeUnloadEvent) => event.preventDefault();

/** Keeps uploads going while pages come and go; closing the tab meanwhile is asked about, and signing out ends them. */
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
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, [areSending]);
  useEffect(() => () => uploads.cancelAll(), [uploads]);
  // Another value with each change, so that whoever shows an upload is drawn again.
  const value = useMemo(() => ({ uploads }), [uploads, changes]);
  return <Current.Provider value={value}>{children}</Current.Provider>;
};
