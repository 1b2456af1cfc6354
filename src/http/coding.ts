/** True if an Accept-Encoding header takes a content coding by its name (RFC 9110 section 12.5.3). */
export const takesCoding = (acceptEncoding: string, coding: "br" | "gzip"): boolean =>
  acceptEncoding
    .toLowerCase()
    .split(",")
    .map((part) => part.split(";").map((piece) => piece.trim()))
    .some(([name, weight]) => name === coding && !/^q=0(\.0*)?$/.test(weight ?? ""));
