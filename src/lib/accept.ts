/** The content codings that we serve, best first: over plain HTTP browsers accept gzip alone. */
export const CODINGS = ["br", "gzip"] as const;
export type ContentCoding = (typeof CODINGS)[number];

/** A weight of RFC 9110 section 12.4.2; what is malformed counts as 1. */
const weightOf = (parameters: string[]): number => {
  const text = parameters.find((parameter) => /^\s*q=/i.test(parameter));
  const weight = Number(text?.split("=")[1] ?? 1);
  return weight >= 0 && weight <= 1 ? weight : 1;
};

/**
 * The codings that an Accept-Encoding prefers to `identity`, best first (RFC 9110 section 12.5.3); equal ones in our order.
 * Identity is always served: a 406 would help nobody.
 */
export const acceptedCodings = (header: string | null | undefined): ContentCoding[] => {
  if (!header) return [];
  const weights = new Map<string, number>();
  for (const item of header.toLowerCase().split(",")) {
    const [name = "", ...parameters] = item.split(";");
    weights.set(name.trim().replace(/^x-gzip$/, "gzip"), weightOf(parameters));
  }
  const weight = (coding: string, otherwise: number) => weights.get(coding) ?? otherwise;
  const any = weight("*", 0);
  const identity = weights.get("identity") ?? 0;
  return CODINGS.filter((coding) => weight(coding, any) > 0 && weight(coding, any) >= identity).toSorted(
    (a, b) => weight(b, any) - weight(a, any),
  );
};
