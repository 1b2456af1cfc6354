const UNITS = ["bytes", "kB", "MB", "GB"];

/** `1234567` as `1.2 MB`. */
export const formatBytes = (bytes: number): string => {
  const step = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const value = bytes / 1000 ** step;
  return `${step === 0 ? value : value.toFixed(1)} ${UNITS[step]}`;
};

/** The first `max` names, and how many there are besides: `a, b, and 3 more`. */
export const formatNames = (names: readonly string[], max: number): string =>
  names.slice(0, max).join(", ") + (names.length > max ? `, and ${names.length - max} more` : "");

/** `1234567` as `1,234,567`. */
export const formatCount = (count: number): string => count.toLocaleString("en-US");
