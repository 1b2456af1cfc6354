// Explains why the value of a CNAME record is wrong: a sentence with a leading space, or an empty string.

/** Text that is invalid in a host name, and the mistake. Values are printable: invisible characters are escaped. */
const VALUE_MISTAKES: readonly (readonly [pattern: RegExp, mistake: string])[] = [
  [/^\W*[a-z]+:\/\//, "starts with a protocol such as https://: enter only the host name"],
  [/["'\u201c\u201d]/, "is in quotation marks: enter it without them"],
  [/[\s\\]/, "contains a space, a backslash or an invisible character: enter only the host name"],
  [/\//, "contains a path: enter only the host name"],
  [/:/, "contains a port: enter only the host name"],
];

/** Explains a value that is not a host name. */
export const mistakeHint = (found: readonly string[]): string => {
  const first = VALUE_MISTAKES.find(([pattern]) => found.some((value) => pattern.test(value)));
  return first ? ` The value ${first[1]}.` : "";
};

/** True if one of the values is the right one, followed by more labels. */
const hasDoubledValue = (found: readonly string[], expected: readonly string[]): boolean =>
  found.some((value) => expected.some((one) => value.startsWith(`${one}.`)));

/** Many panels read a value without a final dot as a name below the zone. */
export const finalDotHint = (found: readonly string[], expected: readonly string[]): string =>
  hasDoubledValue(found, expected)
    ? " The DNS provider added the zone to the value: enter the value with a final dot."
    : "";
