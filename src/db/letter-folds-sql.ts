import { LETTER_FOLDS } from "../lib/letter-folds.ts";

// What migrations are written with. The tests compare it with the database that they make.

const quote = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** The printable ASCII characters that text in lower case has. */
const ASCII = quote(
  Array.from({ length: 0x5f }, (_, at) => String.fromCharCode(0x20 + at))
    .join("")
    .replaceAll(/[A-Z]/g, ""),
);

/**
 * `foldLetters` in SQL, for triggers. Text in ASCII costs nothing more. Other text takes one step for each different character
 * that is not in ASCII: `rest` begins with the next one.
 */
export const foldSql = (text: string): string =>
  `iif(${text} NOT GLOB '*[^ -~]*', lower(${text}), (
		WITH RECURSIVE fold (folded, rest) AS (
			SELECT lower(${text}), ltrim(lower(${text}), ${ASCII})
			UNION ALL
			SELECT
				replace(folded, substr(rest, 1, 1), coalesce((SELECT l.folded FROM letter_folds l WHERE l.letter = substr(rest, 1, 1)), substr(rest, 1, 1))),
				ltrim(replace(rest, substr(rest, 1, 1), ''), ${ASCII})
			FROM fold WHERE substr(rest, 1, 1) <> ''
		)
		SELECT folded FROM fold WHERE substr(rest, 1, 1) = ''
	))`;

/** The rows of `letter_folds`, a line for each fold. */
export const letterFoldsSql = (): string => {
  const byFold = Map.groupBy(LETTER_FOLDS, ([, folded]) => folded);
  const lines = [...byFold.values()].map((rows) =>
    rows.map(([letter, folded]) => `(${quote(letter)},${quote(folded)})`).join(","),
  );
  return `INSERT INTO \`letter_folds\` (\`letter\`, \`folded\`) VALUES\n${lines.join(",\n")};`;
};
