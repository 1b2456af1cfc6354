import { expect, test } from "bun:test";
import fc from "fast-check";
import { character } from "../support/characters.ts";
import { isLine } from "../../src/lib/text.ts";
import { isVisibleText } from "../../src/lib/visible-text.ts";

test.each([
  ["English", 'Max, the "Great" (Jr.) #2 – 100% O\'Malley'],
  ["German", "Straßenköter Günther"],
  ["French", "L’Éclair d’Été"],
  ["Turkish", "İsmail Iğdır"],
  ["Vietnamese, composed", "Nguyễn Thị Ngọc"],
  ["Vietnamese, decomposed", "Nguyễn Thị Ngọc".normalize("NFD")],
  ["Yoruba", "Ọlọ́runfẹ́mi"],
  ["Greek", "Ἀλέξανδρος"],
  ["Russian", "Лайка"],
  ["Armenian", "Արամ"],
  ["Georgian", "გიორგი"],
  ["Hebrew with points", "שָׂרָה"],
  ["Yiddish", "ייִדיש"],
  ["Arabic", "كلب سعيد"],
  ["Arabic with marks", "مُحَمَّد"],
  ["Persian with ZWNJ", "علی‌رضا می‌خواهم"],
  ["Kurdish with ZWNJ", "به‌هار"],
  ["Syriac", "ܝܘܚܢܢ"],
  ["Dhivehi", "އަހުމަދު"],
  ["N'Ko", "ߒߞߏ"],
  ["Amharic", "ኃይለ ሥላሴ"],
  ["Tifinagh", "ⵢⵓⴳⵓⵔⵜⵏ"],
  ["Hindi", "श्री राम"],
  ["Hindi with ZWJ", "क्‍षेत्र"],
  ["Hindi with ZWNJ", "क्‌षेत्र"],
  ["Marathi with an eyelash ra", "दर्‍या"],
  ["Bengali", "রবীন্দ্রনাথ"],
  ["Bengali with ZWJ before the virama", "র‍্যাম্প"],
  ["Punjabi", "ਗੁਰਪ੍ਰੀਤ"],
  ["Gujarati", "ગાંધી"],
  ["Odia", "ଜଗନ୍ନାଥ"],
  ["Tamil with ZWNJ", "லக்‌ஷ்மி"],
  ["Telugu with ZWNJ at its end", "అర్జున్‌"],
  ["Kannada with ZWJ before the virama", "ರ‍್ಯಾಂಬೊ"],
  ["Malayalam with ZWJ at its end", "മോഹന്‍"],
  ["Sinhala with ZWJ", "ශ්‍රී ලංකා"],
  ["Thai", "น้ำฝน"],
  ["Lao", "ແກ້ວ"],
  ["Khmer", "សុខា"],
  ["Burmese", "အောင်ဆန်း"],
  ["Tibetan", "བསྟན་འཛིན"],
  ["Mongolian with a vowel separator", "ᠠᠯᠲᠠᠨ ᠨᠠᠷ᠎ᠠ"],
  ["Mongolian with a variant", "ᠭ᠋ᠠᠯ"],
  ["Chinese", "王小明·阿里"],
  ["Chinese of plane 2", "𠮷野家"],
  ["Japanese with a variant of a character", "辻󠄀 葛󠄀城"],
  ["Japanese", "ﾀﾛｳ たろう"],
  ["Korean", "김철수"],
  ["Korean, decomposed", "김철수".normalize("NFD")],
  ["Cherokee", "ᏣᎳᎩ"],
  ["Inuktitut", "ᐃᓄᒃ"],
  ["Adlam", "𞤀𞤣𞤤𞤢𞤥"],
  ["Hawaiian", "Kaʻiulani"],
  ["emoji", "🐶 Rex 😀"],
  ["emoji with a presentation", "❤️ ☎︎ ©️"],
  ["emoji of several people", "👩‍👩‍👧 👨🏽‍🚀 🧑🏿‍🤝‍🧑🏻"],
  ["emoji without their presentation", "🏳‍🌈 🤦‍♀ 👁‍🗨"],
  ["emoji with it", "🏳️‍🌈 🤦🏻‍♀️ ❤️‍🔥"],
  ["keycaps and flags", "1️⃣ #️⃣ 🇩🇪 🏴󠁧󠁢󠁥󠁮󠁧󠁿 🏴󠁧󠁢󠁳󠁣󠁴󠁿"],
  ["white space of several kinds", " a b　c "],
  ["spaces of braille", "⠍⠁⠭⠀⠗⠑⠭"],
])("a name in %s is accepted: %p", (_, name) => {
  expect(isLine(name, 200)).toBe(true);
});

test.each([
  ["nothing but zero-width spaces", "\u200B\u200B"],
  ["nothing but a word joiner", "\u2060"],
  ["nothing but a soft hyphen", "\u00AD"],
  ["nothing but a Hangul filler", "\u3164"],
  ["nothing but a halfwidth Hangul filler", "\uFFA0"],
  ["nothing but blank braille", "\u2800\u2800"],
  ["blank braille at its end", "Rex\u2800"],
  ["a null note head", "Rex\u{1D159}"],
  ["nothing but blank hieroglyphs", "\u{13441}\u{13442}"],
  ["nothing but combining marks", "\u0301\u0302"],
  ["nothing but white space and a joiner", " \u200D "],
  ["an override of direction", "a\u202Egnp.exe"],
  ["an embedding", "\u202Bevil\u202C"],
  ["an isolate", "\u2066evil\u2069"],
  ["a left-to-right mark", "Bella\u200E"],
  ["a right-to-left mark", "שָׂרָה\u200F"],
  ["an Arabic letter mark", "\u061Cكلب"],
  ["a line separator", "a\u2028b"],
  ["a paragraph separator", "a\u2029b"],
  ["a C0 control", "a\u0007b"],
  ["a C1 control", "a\u0085b"],
  ["a byte order mark", "\uFEFFBella"],
  ["an invisible operator", "a\u2062b"],
  ["an interlinear annotation", "a\uFFF9b\uFFFAc\uFFFB"],
  ["a grapheme joiner", "a\u034Fb"],
  ["an inherent vowel of Khmer", "ក\u17B4"],
  ["hidden tags", "Bella\u{E0041}\u{E0042}"],
  ["tags that are no flag", "🏴\u{E0065}\u{E0076}\u{E007F}"],
  ["a joiner between Latin letters", "Be\u200Dlla"],
  ["a non-joiner between Latin letters", "Be\u200Clla"],
  ["a joiner at its start", "\u200DBella"],
  ["a non-joiner after an Arabic word", "كلب\u200C"],
  ["two non-joiners", "می\u200C\u200Cخواهم"],
  ["a joiner after an Indic vowel", "कि\u200D"],
  ["a joiner between unrelated emoji", "🐶\u200D😀"],
  ["a variation selector after a letter", "B\uFE0Fella"],
  ["a variation selector after a digit", "1\uFE0F"],
  ["two variation selectors", "❤\uFE0F\uFE0F"],
  ["a supplementary variation selector after a letter", "B\u{E0100}ella"],
  ["a private-use character", "a\uE000"],
  ["a private-use character of plane 16", "a\u{10FFFD}"],
  ["an unassigned character", "a\u0378"],
  ["a noncharacter", "a\uFDD0"],
  ["half of a pair", "a\uD83D"],
])("a name with %s is refused: %j", (_, name) => {
  expect(isLine(name, 200)).toBe(false);
});

const hidden = fc.oneof(
  fc.constantFrom(..."\u200B\u200E\u202E\u2066\u2028\u00AD\u034F\u115F\u{E0041}\uFEFF"),
  character.filter((one) => /[\p{Cf}\p{Default_Ignorable_Code_Point}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/u.test(one)),
);
const shown = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 20 }),
  fc.string({ unit: character.filter((one) => /[\p{L}\p{N}\p{P}\p{S}\p{Zs}]/u.test(one)), maxLength: 20 }),
);

test("a hidden character between Latin letters is refused at any position", () => {
  fc.assert(
    fc.property(hidden, shown, shown, (one, before, after) => {
      expect(isVisibleText(`${before}a${one}b${after}`)).toBe(false);
    }),
    { numRuns: 2000 },
  );
});

test("letters, marks, numbers, punctuation and symbols are accepted in any order", () => {
  const letter = character.filter(
    (one) =>
      /[\p{L}\p{M}\p{N}\p{P}\p{S}]/u.test(one) &&
      // Blank symbols and letters are hidden, too.
      !/[\p{Default_Ignorable_Code_Point}\u2800\u{13441}\u{13442}\u{1D159}]/u.test(one),
  );
  fc.assert(
    fc.property(fc.string({ unit: letter, maxLength: 50 }), (text) => {
      expect(isLine(`a${text}`, 60)).toBe(true);
    }),
    { numRuns: 2000 },
  );
});

test("line ends and tabs are visible in a text, and refused in a line", () => {
  expect(isVisibleText("a\tb\r\nc")).toBe(true);
  expect(isLine("a\tb", 5)).toBe(false);
});

test("a long text of joiners is checked in linear time", () => {
  const start = performance.now();
  isVisibleText("क्\u200D".repeat(200_000));
  isVisibleText("👩\u200D".repeat(200_000));
  expect(performance.now() - start).toBeLessThan(10_000);
});
