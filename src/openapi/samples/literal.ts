/** How a language writes a value of JSON. */
export interface Notation {
  true: string;
  false: string;
  null: string;
  /** Whether a key that is an identifier is written without quotes. */
  bareKeys?: boolean;
  /** Whether the last item of a list on several lines has a comma too. */
  trailingComma?: boolean;
  /** Whether there are spaces inside the braces of an object on one line. */
  padded: boolean;
  /** The spaces of one level. */
  indent: number;
}

export const JSON_NOTATION: Notation = {
  true: "true",
  false: "false",
  null: "null",
  padded: true,
  indent: 2,
};

const MAX_WIDTH = 56;

const scalar = (value: unknown, notation: Notation): string => {
  if (value === true) return notation.true;
  if (value === false) return notation.false;
  return value === null ? notation.null : JSON.stringify(value);
};

const keyOf = (name: string, { bareKeys }: Notation): string =>
  bareKeys && /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);

const inline = (value: unknown, notation: Notation): string => {
  if (Array.isArray(value)) return `[${value.map((one) => inline(one, notation)).join(", ")}]`;
  if (typeof value !== "object" || value === null) return scalar(value, notation);
  const fields = Object.entries(value).map(
    ([name, one]) => `${keyOf(name, notation)}: ${inline(one, notation)}`,
  );
  const padding = notation.padded && fields.length > 0 ? " " : "";
  return `{${padding}${fields.join(", ")}${padding}}`;
};

/**
 * A value of JSON as source text: on one line if it fits, else one item a line.
 * @param indent of the line that the value starts on, in spaces
 */
export const literal = (value: unknown, notation: Notation, indent = 0): string => {
  const line = inline(value, notation);
  if (line.length + indent <= MAX_WIDTH || typeof value !== "object" || value === null) return line;
  const inner = indent + notation.indent;
  const items = Array.isArray(value)
    ? value.map((one) => literal(one, notation, inner))
    : Object.entries(value).map(
        ([name, one]) => `${keyOf(name, notation)}: ${literal(one, notation, inner)}`,
      );
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  const end = notation.trailingComma ? "," : "";
  const lines = items.map((item) => " ".repeat(inner) + item).join(",\n");
  return `${open}\n${lines}${end}\n${" ".repeat(indent)}${close}`;
};
