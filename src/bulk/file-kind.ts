import { quoted } from "../lib/text.ts";
import { FileRefused } from "./columns.ts";

/** The first bytes of a ZIP archive, as .xlsx, .ods and .numbers are, and of an OLE file, as .xls is. */
const WORKBOOKS = [Buffer.from("PK\u0003\u0004", "latin1"), Buffer.from([0xd0, 0xcf, 0x11, 0xe0])];

/** True for the name of a spreadsheet's own file. */
export const isWorkbook = (path: string): boolean => /\.(xlsx|xlsm|xlsb|xls|ods|numbers)$/i.test(path);

/** What to do with a spreadsheet's own file. */
export const WORKBOOK_ADVICE =
  "it is a spreadsheet's own file, not CSV: open it in the spreadsheet program, choose Save As (or Download), the format CSV UTF-8, and import that file";

/** What this encoding is most often: the CSV of Excel in Western Europe and America. */
const LIKELY = "windows-1252";

const BEYOND_ASCII = /[^\p{ASCII}\uFFFD]/u;
/** U+FFFD in the file itself. */
const WRITTEN_REPLACEMENT = Buffer.from("\uFFFD");

/** The text of bytes, where U+FFFD stands for what is not UTF-8. The last character may be cut off. */
const asUtf8 = (bytes: Buffer): string => new TextDecoder("utf-8").decode(bytes, { stream: true });

/** The word with the first letter beyond ASCII, read in the likely encoding. */
const likelyWord = (bytes: Buffer): string =>
  /[^\s,;|"]*\P{ASCII}[^\s,;|"]*/u.exec(new TextDecoder(LIKELY).decode(bytes))?.[0] ?? "";

/** True if the bytes have letters beyond ASCII, and none of them is UTF-8. One broken letter among others costs only its row. */
const isOtherEncoding = (bytes: Buffer): boolean => {
  const text = asUtf8(bytes);
  return text.includes("\uFFFD") && !bytes.includes(WRITTEN_REPLACEMENT) && !BEYOND_ASCII.test(text);
};

const assertUtf8 = (start: Buffer): void => {
  const [first, second] = start;
  if (first === 0 || second === 0 || (first === 0xfe && second === 0xff))
    throw new FileRefused(
      "its encoding is not UTF-8: save it as UTF-8 (spreadsheets call it CSV UTF-8), or name its encoding, such as --encoding utf-16be",
    );
  if (isOtherEncoding(start))
    throw new FileRefused(
      `it is not UTF-8: add --encoding ${LIKELY}, which Excel's plain CSV has (the first such word then reads ${quoted(likelyWord(start))}), or save it as CSV UTF-8`,
    );
};

/**
 * Checks the start of a file.
 * @param named the encoding that the user names; undefined: UTF-8, or UTF-16 with a byte order mark
 * @throws FileRefused if it is a workbook, or in another encoding
 */
export const assertReadable = (start: Buffer, named: string | undefined): void => {
  if (WORKBOOKS.some((magic) => start.subarray(0, magic.length).equals(magic)))
    throw new FileRefused(WORKBOOK_ADVICE);
  if (start[0] === 0xff && start[1] === 0xfe) return;
  if (named === undefined) return assertUtf8(start);
  const text = asUtf8(start);
  if (!/^utf-?8$/i.test(named) && BEYOND_ASCII.test(text) && !text.includes("\uFFFD"))
    throw new FileRefused(`it is UTF-8, not ${named}: leave out --encoding`);
};
