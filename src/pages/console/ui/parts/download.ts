/** Offers a CSV file for download. */
export const download = (name: string, text: string): void => {
  const url = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
  const link = Object.assign(document.createElement("a"), { href: url, download: name });
  link.click();
  // Deferred, because browsers begin the download later.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
};
