const TENTHS = ["Luna", "Max", "Charlie", "Milo", "Łucja", "Rocky", "Daisy", "Zoë", "Lola", "Oscar"];
const SYLLABLES = ["ka", "zo", "ri", "mu", "te", "lo", "sha", "vi", "ne", "da"];
const ROWS_A_WRITE = 20_000;

/** A number that depends on `row` and on what it is for, the same in every run. */
const hash = (row: number, purpose: number): number => {
  let mixed = Math.imul(row ^ Math.imul(purpose, 0x9e37_79b9), 0x85eb_ca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2_ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
};

/** One of 10,000 words. */
const rareWord = (number: number): string =>
  [...String(number).padStart(4, "0")].map((digit) => SYLLABLES[Number(digit)]).join("");

/** 1: 30 %, 2: 15 %, 3: 10 %, 4 to 18: 2.9 % each, 19: 0.9 %, 20: 0.1 %. */
const categoryOf = (permille: number): number => {
  if (permille < 300) return 1;
  if (permille < 450) return 2;
  if (permille < 550) return 3;
  if (permille < 990) return 4 + (permille % 15);
  return permille < 999 ? 19 : 20;
};

/** 40 %, 40 %, 10 %, and 10 % without. */
const statusOf = (tenth: number): string =>
  tenth < 4 ? "available" : tenth < 8 ? "sold" : tenth < 9 ? "pending" : "";

const lineOf = (row: number, rows: number): string => {
  const category = categoryOf(hash(row, 1) % 1000);
  const status = statusOf(hash(row, 2) % 10);
  const words = [
    rareWord(hash(row, 3) % 10_000),
    TENTHS[hash(row, 4) % 10],
    "Bella",
    hash(row, 5) % 2 === 0 ? "boy" : "girl",
    ...(category === 1 ? ["woof"] : []),
    ...(status === "sold" ? ["home"] : []),
    ...(row <= rows / 2 ? ["old"] : []),
    `u${row.toString(36)}`,
  ];
  return `${words.join(" ")},${category},${status}\n`;
};

/**
 * Writes a CSV of animals whose names make searches hard: `bella` is in all, `boy` and `girl` in half each and never together,
 * `luna` in a tenth, `woof` in category 1 only, `home` with `sold` only, `old` in the first half, and a unique word in each.
 */
export const writeCrowd = async (path: string, rows: number): Promise<void> => {
  const writer = Bun.file(path).writer();
  await writer.write("name,categoryId,status\n");
  for (let row = 1; row <= rows; row++) {
    await writer.write(lineOf(row, rows));
    if (row % ROWS_A_WRITE === 0) await writer.flush();
  }
  await writer.end();
};
