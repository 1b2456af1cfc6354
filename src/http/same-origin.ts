/** False for a page of another site, or of a neighbouring host that this service publishes (Fetch Metadata). */
export const isSameOrigin = (headers: Headers): boolean => {
  const site = headers.get("sec-fetch-site");
  return site === null || site === "same-origin";
};
