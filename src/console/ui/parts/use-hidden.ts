import { useEffect, useState } from "preact/hooks";

/** True while the user does not see the tab. */
export const useHidden = (): boolean => {
  const [isHidden, setHidden] = useState(document.hidden);
  useEffect(() => {
    const update = () => setHidden(document.hidden);
    document.addEventListener("visibilitychange", update);
    return () => document.removeEventListener("visibilitychange", update);
  }, []);
  return isHidden;
};
