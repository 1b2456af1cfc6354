/** The printable ASCII characters that text in lower case has. */
const ASCII = `'${Array.from({ length: 0x5f }, (_, index) => String.fromCharCode(0x20 + index))
  .join("")
  .replaceAll(/[A-Z]/g, "")
  .replaceAll("'", "''")}'`;

/**
 * `foldLetters` in SQL, as the triggers have it. Text in ASCII costs nothing more. Other text takes one step for each different
 * character that is not in ASCII: `rest` begins with the next one.
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
