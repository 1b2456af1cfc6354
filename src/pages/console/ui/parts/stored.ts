import { useState } from "preact/hooks";

const read = (key: string): string => {
  try {
    return localStorage.getItem(key) ?? "";
  } catch {
    return "";
  }
};

/** A setting that this browser keeps, and "" at first. Without storage, it lasts until the page is left. */
export const useStored = (key: string): readonly [setting: string, store: (setting: string) => void] => {
  const [setting, setSetting] = useState(() => read(key));
  return [
    setting,
    (setting) => {
      setSetting(setting);
      try {
        localStorage.setItem(key, setting);
      } catch {
        // Storage is blocked or full.
      }
    },
  ];
};
