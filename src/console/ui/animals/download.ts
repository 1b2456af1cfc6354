/** Saves a file as the browser's downloads are saved. */
export const download = (name: string, text: string): void => {
  const url = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
  const link = Object.assign(document.createElement("a"), { href: url, download: name });
  link.click();
  // Not at once: browsers begin the download later.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
};
