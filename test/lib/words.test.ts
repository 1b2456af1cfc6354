import { expect, test } from "bun:test";
import { addedWords, indexWords, wordsOf } from "../../src/lib/words.ts";

test.each([
  ["हिन्दी", ["हिन्दी"]],
  ["தமிழ் नमस्ते", ["தமிழ்", "नमस्ते"]],
  ["①②", ["12"]],
  ["ﷺ", ["صلى", "الله", "عليه", "وسلم"]],
  ["ﬁdo ﬁdo", ["fido"]],
  ["ŉ", ["n"]],
  ["ｶﾀｶﾅ", ["カタカナ"]],
  ["❤️ Bel\u00adla", ["bella"]],
  ["1️⃣", ["1"]],
  ["!?", []],
])("the words of %j are %j", (text, words) => {
  expect(wordsOf(text)).toEqual(words);
});

test.each([
  ["東京犬", "東京犬 犬"],
  ["แมวดำ", "แมวดำ ดำ"],
  ["黒猫 Kuro", "黒猫 kuro 猫"],
  ["Zoë Müller", "zoe muller"],
])("the index has %j under %j", (text, words) => {
  expect(indexWords([text])).toBe(words);
});

test("words inside a word are cut, so that the index of a text grows with its length", () => {
  const longest = Math.max(
    ...indexWords(["東京犬".repeat(66)])
      .split(" ")
      .slice(1)
      .map((word) => word.length),
  );
  expect(longest).toBe(40);
});

test.each(["Bella", "Zoë Müller", "Łucja", "Мила", "Ωμέγα", "كلب", "हिन्दी", "❤️ Max"])(
  "SQL makes all words of the name %j",
  (name) => {
    expect(addedWords(name)).toBe("");
  },
);

test.each([
  ["①Rex", "1rex"],
  ["東京犬", "犬"],
  ["각".normalize("NFD"), "각"],
])("of the name %j, SQL does not make %j", (name, words) => {
  expect(addedWords(name)).toBe(words);
});
