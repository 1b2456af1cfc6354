/** Control and format characters: they would move a terminal's cursor, or turn text round. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

const escape = (character: string): string =>
  `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`;

/** With a full stop, unless it ends as a sentence does. */
export const sentence = (text: string): string => (/[.?!]$/.test(text) ? text : `${text}.`);

const MAX_LENGTH = 300;

/** What a stranger's name server sent, fit to be shown anywhere: escaped as JSON does it, and cut. */
export const printable = (text: string): string => {
  const cut = text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}...` : text;
  return cut.replaceAll(UNPRINTABLE, escape);
};
