/**
 * Invisible characters, and characters that change the appearance of others. RFC 8264 section 4.3 refuses them in names, as do UTS
 * 39 and UTR 36. The single ones are blank, although Unicode lists them as symbols or letters: the spaces of braille and of
 * hieroglyphs, and the null note head. Tabs and line breaks are visible; `isLine` refuses them.
 */
const HIDDEN =
  /[[\p{C}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\u2800\u{13441}\u{13442}\u{1D159}]--[\t\r\n]]/v;

/** Letters that change their form next to a joiner. */
const CURSIVE = String.raw`[[\p{scx=Arab}\p{scx=Syrc}\p{scx=Nkoo}\p{scx=Mong}\p{scx=Adlm}\p{scx=Rohg}\p{scx=Mand}]&&[\p{L}\p{M}]]`;
const INDIC = String.raw`[[\p{scx=Deva}\p{scx=Beng}\p{scx=Guru}\p{scx=Gujr}\p{scx=Orya}\p{scx=Taml}\p{scx=Telu}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Bali}\p{scx=Java}]&&[\p{L}\p{M}]]`;
/** Viramas. Unicode has no property for them, but unlike vowel signs, they are diacritics. */
const VIRAMA = String.raw`[${INDIC}&&[\p{M}&&\p{Diacritic}]]`;

/** An emoji other than a digit. The property without `Emoji` includes unassigned characters. */
const PICTOGRAPH = String.raw`[\p{Extended_Pictographic}&&\p{Emoji}]`;
/** Pictographs that some keyboards send without the selector that \p{RGI_Emoji} expects (UTS 51, ED-18a). */
const UNQUALIFIED = new RegExp(
  String.raw`(?!\p{Emoji_Presentation})${PICTOGRAPH}(?![\uFE0E\uFE0F\p{Emoji_Modifier}])`,
  "gv",
);

/** Hidden characters that a script or an emoji needs in context. Joiners follow RFC 5892 appendix A. */
const IN_CONTEXT = new RegExp(
  [
    String.raw`\p{RGI_Emoji}`,
    String.raw`(?<=[\u2801-\u28FF])\u2800(?=[\u2801-\u28FF])`,
    String.raw`${PICTOGRAPH}[\uFE0E\uFE0F]`,
    String.raw`(?<=\p{Unified_Ideograph})\p{Variation_Selector}`,
    String.raw`(?<=[\p{L}&&\p{sc=Mong}])[\p{Variation_Selector}\u180E]`,
    String.raw`(?<=${CURSIVE})\p{Join_Control}(?=${CURSIVE})`,
    String.raw`(?<=${VIRAMA})\p{Join_Control}`,
    String.raw`(?<=${INDIC})\p{Join_Control}(?=${VIRAMA})`,
  ].join("|"),
  "gv",
);

/** True if every character is visible, so that a text cannot look empty or imitate another. */
export const isVisibleText = (text: string): boolean =>
  !HIDDEN.test(text) || !HIDDEN.test(text.replaceAll(UNQUALIFIED, "$&\uFE0F").replaceAll(IN_CONTEXT, ""));
