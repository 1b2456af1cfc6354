CREATE TABLE `letter_folds` (
	`letter` text PRIMARY KEY NOT NULL,
	`folded` text NOT NULL
) WITHOUT ROWID, STRICT;
--> statement-breakpoint
-- LETTER_FOLDS of src/lib/letter-folds.ts.
INSERT INTO `letter_folds` (`letter`, `folded`) VALUES
('ª','a'),('À','a'),('Á','a'),('Â','a'),('Ã','a'),('Ä','a'),('Å','a'),('à','a'),('á','a'),('â','a'),('ã','a'),('ä','a'),('å','a'),('Ā','a'),('ā','a'),('Ă','a'),('ă','a'),('Ą','a'),('ą','a'),('Ǎ','a'),('ǎ','a'),('Ǟ','a'),('ǟ','a'),('Ǡ','a'),('ǡ','a'),('Ǻ','a'),('ǻ','a'),('Ȁ','a'),('ȁ','a'),('Ȃ','a'),('ȃ','a'),('Ȧ','a'),('ȧ','a'),('Ⱥ','a'),('ɑ','a'),('ᴬ','a'),('ᵃ','a'),('ᵅ','a'),('Ḁ','a'),('ḁ','a'),('ẚ','a'),('Ạ','a'),('ạ','a'),('Ả','a'),('ả','a'),('Ấ','a'),('ấ','a'),('Ầ','a'),('ầ','a'),('Ẩ','a'),('ẩ','a'),('Ẫ','a'),('ẫ','a'),('Ậ','a'),('ậ','a'),('Ắ','a'),('ắ','a'),('Ằ','a'),('ằ','a'),('Ẳ','a'),('ẳ','a'),('Ẵ','a'),('ẵ','a'),('Ặ','a'),('ặ','a'),('ₐ','a'),('Å','a'),('ⱥ','a'),('Ɑ','a'),('Ａ','a'),('ａ','a'),
('Æ','ae'),('æ','ae'),('Ǣ','ae'),('ǣ','ae'),('Ǽ','ae'),('ǽ','ae'),('ᴭ','ae'),
('ƀ','b'),('Ɓ','b'),('Ƀ','b'),('ɓ','b'),('ᴮ','b'),('ᵇ','b'),('Ḃ','b'),('ḃ','b'),('Ḅ','b'),('ḅ','b'),('Ḇ','b'),('ḇ','b'),('Ｂ','b'),('ｂ','b'),
('Ç','c'),('ç','c'),('Ć','c'),('ć','c'),('Ĉ','c'),('ĉ','c'),('Ċ','c'),('ċ','c'),('Č','c'),('č','c'),('Ȼ','c'),('ȼ','c'),('ᶜ','c'),('Ḉ','c'),('ḉ','c'),('Ꞓ','c'),('ꞓ','c'),('ꟲ','c'),('Ｃ','c'),('ｃ','c'),
('Ð','d'),('ð','d'),('Ď','d'),('ď','d'),('Đ','d'),('đ','d'),('Ɖ','d'),('Ɗ','d'),('ɖ','d'),('ɗ','d'),('ᴰ','d'),('ᵈ','d'),('ᶞ','d'),('Ḋ','d'),('ḋ','d'),('Ḍ','d'),('ḍ','d'),('Ḏ','d'),('ḏ','d'),('Ḑ','d'),('ḑ','d'),('Ḓ','d'),('ḓ','d'),('Ꝺ','d'),('ꝺ','d'),('Ｄ','d'),('ｄ','d'),
('Ǆ','dz'),('ǅ','dz'),('ǆ','dz'),('Ǳ','dz'),('ǲ','dz'),('ǳ','dz'),
('È','e'),('É','e'),('Ê','e'),('Ë','e'),('è','e'),('é','e'),('ê','e'),('ë','e'),('Ē','e'),('ē','e'),('Ĕ','e'),('ĕ','e'),('Ė','e'),('ė','e'),('Ę','e'),('ę','e'),('Ě','e'),('ě','e'),('Ǝ','e'),('Ə','e'),('Ɛ','e'),('ǝ','e'),('Ȅ','e'),('ȅ','e'),('Ȇ','e'),('ȇ','e'),('Ȩ','e'),('ȩ','e'),('Ɇ','e'),('ɇ','e'),('ə','e'),('ɛ','e'),('ᴱ','e'),('ᴲ','e'),('ᵉ','e'),('ᵊ','e'),('ᵋ','e'),('Ḕ','e'),('ḕ','e'),('Ḗ','e'),('ḗ','e'),('Ḙ','e'),('ḙ','e'),('Ḛ','e'),('ḛ','e'),('Ḝ','e'),('ḝ','e'),('Ẹ','e'),('ẹ','e'),('Ẻ','e'),('ẻ','e'),('Ẽ','e'),('ẽ','e'),('Ế','e'),('ế','e'),('Ề','e'),('ề','e'),('Ể','e'),('ể','e'),('Ễ','e'),('ễ','e'),('Ệ','e'),('ệ','e'),('ₑ','e'),('ₔ','e'),('Ｅ','e'),('ｅ','e'),
('Ƒ','f'),('ƒ','f'),('ᶠ','f'),('Ḟ','f'),('ḟ','f'),('Ꝼ','f'),('ꝼ','f'),('ꟳ','f'),('Ｆ','f'),('ｆ','f'),
('ﬀ','ff'),
('ﬃ','ffi'),
('ﬄ','ffl'),
('ﬁ','fi'),
('ﬂ','fl'),
('Ĝ','g'),('ĝ','g'),('Ğ','g'),('ğ','g'),('Ġ','g'),('ġ','g'),('Ģ','g'),('ģ','g'),('Ɠ','g'),('Ǥ','g'),('ǥ','g'),('Ǧ','g'),('ǧ','g'),('Ǵ','g'),('ǵ','g'),('ɠ','g'),('ɡ','g'),('ᴳ','g'),('ᵍ','g'),('ᵹ','g'),('ᶢ','g'),('Ḡ','g'),('ḡ','g'),('Ᵹ','g'),('Ꞡ','g'),('ꞡ','g'),('Ɡ','g'),('Ｇ','g'),('ｇ','g'),
('Ĥ','h'),('ĥ','h'),('Ħ','h'),('ħ','h'),('Ȟ','h'),('ȟ','h'),('ɦ','h'),('ʰ','h'),('ʱ','h'),('ᴴ','h'),('Ḣ','h'),('ḣ','h'),('Ḥ','h'),('ḥ','h'),('Ḧ','h'),('ḧ','h'),('Ḩ','h'),('ḩ','h'),('Ḫ','h'),('ḫ','h'),('ẖ','h'),('ₕ','h'),('Ⱨ','h'),('ⱨ','h'),('Ɦ','h'),('ꟸ','h'),('Ｈ','h'),('ｈ','h'),
('Ì','i'),('Í','i'),('Î','i'),('Ï','i'),('ì','i'),('í','i'),('î','i'),('ï','i'),('Ĩ','i'),('ĩ','i'),('Ī','i'),('ī','i'),('Ĭ','i'),('ĭ','i'),('Į','i'),('į','i'),('İ','i'),('ı','i'),('Ɨ','i'),('Ǐ','i'),('ǐ','i'),('Ȉ','i'),('ȉ','i'),('Ȋ','i'),('ȋ','i'),('ɨ','i'),('ᴵ','i'),('ᵢ','i'),('ᶤ','i'),('Ḭ','i'),('ḭ','i'),('Ḯ','i'),('ḯ','i'),('Ỉ','i'),('ỉ','i'),('Ị','i'),('ị','i'),('ⁱ','i'),('Ｉ','i'),('ｉ','i'),
('Ĳ','ij'),('ĳ','ij'),
('Ĵ','j'),('ĵ','j'),('ǰ','j'),('Ɉ','j'),('ɉ','j'),('ʲ','j'),('ᴶ','j'),('ⱼ','j'),('Ｊ','j'),('ｊ','j'),
('Ķ','k'),('ķ','k'),('ĸ','k'),('Ƙ','k'),('ƙ','k'),('Ǩ','k'),('ǩ','k'),('ᴷ','k'),('ᵏ','k'),('Ḱ','k'),('ḱ','k'),('Ḳ','k'),('ḳ','k'),('Ḵ','k'),('ḵ','k'),('ₖ','k'),('K','k'),('Ⱪ','k'),('ⱪ','k'),('Ꝁ','k'),('ꝁ','k'),('Ꝃ','k'),('ꝃ','k'),('Ꞣ','k'),('ꞣ','k'),('Ｋ','k'),('ｋ','k'),
('Ĺ','l'),('ĺ','l'),('Ļ','l'),('ļ','l'),('Ľ','l'),('ľ','l'),('Ŀ','l'),('ŀ','l'),('Ł','l'),('ł','l'),('ƚ','l'),('Ƚ','l'),('ɫ','l'),('ɬ','l'),('ɭ','l'),('ˡ','l'),('ᴸ','l'),('ᶩ','l'),('Ḷ','l'),('ḷ','l'),('Ḹ','l'),('ḹ','l'),('Ḻ','l'),('ḻ','l'),('Ḽ','l'),('ḽ','l'),('ₗ','l'),('Ɫ','l'),('Ɬ','l'),('ꭞ','l'),('Ｌ','l'),('ｌ','l'),
('Ǉ','lj'),('ǈ','lj'),('ǉ','lj'),
('ɱ','m'),('ᴹ','m'),('ᵐ','m'),('ᶬ','m'),('Ḿ','m'),('ḿ','m'),('Ṁ','m'),('ṁ','m'),('Ṃ','m'),('ṃ','m'),('ₘ','m'),('Ɱ','m'),('Ｍ','m'),('ｍ','m'),
('Ñ','n'),('ñ','n'),('Ń','n'),('ń','n'),('Ņ','n'),('ņ','n'),('Ň','n'),('ň','n'),('ŉ','n'),('Ŋ','n'),('ŋ','n'),('Ɲ','n'),('ƞ','n'),('Ǹ','n'),('ǹ','n'),('Ƞ','n'),('ɲ','n'),('ᴺ','n'),('ᵑ','n'),('ᶮ','n'),('Ṅ','n'),('ṅ','n'),('Ṇ','n'),('ṇ','n'),('Ṉ','n'),('ṉ','n'),('Ṋ','n'),('ṋ','n'),('ⁿ','n'),('ₙ','n'),('Ꞑ','n'),('ꞑ','n'),('Ꞥ','n'),('ꞥ','n'),('Ｎ','n'),('ｎ','n'),
('Ǌ','nj'),('ǋ','nj'),('ǌ','nj'),
('º','o'),('Ò','o'),('Ó','o'),('Ô','o'),('Õ','o'),('Ö','o'),('Ø','o'),('ò','o'),('ó','o'),('ô','o'),('õ','o'),('ö','o'),('ø','o'),('Ō','o'),('ō','o'),('Ŏ','o'),('ŏ','o'),('Ő','o'),('ő','o'),('Ɔ','o'),('Ɵ','o'),('Ơ','o'),('ơ','o'),('Ǒ','o'),('ǒ','o'),('Ǫ','o'),('ǫ','o'),('Ǭ','o'),('ǭ','o'),('Ǿ','o'),('ǿ','o'),('Ȍ','o'),('ȍ','o'),('Ȏ','o'),('ȏ','o'),('Ȫ','o'),('ȫ','o'),('Ȭ','o'),('ȭ','o'),('Ȯ','o'),('ȯ','o'),('Ȱ','o'),('ȱ','o'),('ɔ','o'),('ɵ','o'),('ᴼ','o'),('ᵒ','o'),('ᵓ','o'),('ᶱ','o'),('Ṍ','o'),('ṍ','o'),('Ṏ','o'),('ṏ','o'),('Ṑ','o'),('ṑ','o'),('Ṓ','o'),('ṓ','o'),('Ọ','o'),('ọ','o'),('Ỏ','o'),('ỏ','o'),('Ố','o'),('ố','o'),('Ồ','o'),('ồ','o'),('Ổ','o'),('ổ','o'),('Ỗ','o'),('ỗ','o'),('Ộ','o'),('ộ','o'),('Ớ','o'),('ớ','o'),('Ờ','o'),('ờ','o'),('Ở','o'),('ở','o'),('Ỡ','o'),('ỡ','o'),('Ợ','o'),('ợ','o'),('ₒ','o'),('Ｏ','o'),('ｏ','o'),
('Œ','oe'),('œ','oe'),('ꟹ','oe'),
('Ƥ','p'),('ƥ','p'),('ᴾ','p'),('ᵖ','p'),('ᵽ','p'),('Ṕ','p'),('ṕ','p'),('Ṗ','p'),('ṗ','p'),('ₚ','p'),('Ᵽ','p'),('Ｐ','p'),('ｐ','p'),
('Ɋ','q'),('ɋ','q'),('ʠ','q'),('ꟴ','q'),('Ｑ','q'),('ｑ','q'),
('Ŕ','r'),('ŕ','r'),('Ŗ','r'),('ŗ','r'),('Ř','r'),('ř','r'),('Ȑ','r'),('ȑ','r'),('Ȓ','r'),('ȓ','r'),('Ɍ','r'),('ɍ','r'),('ɽ','r'),('ʳ','r'),('ᴿ','r'),('ᵣ','r'),('Ṙ','r'),('ṙ','r'),('Ṛ','r'),('ṛ','r'),('Ṝ','r'),('ṝ','r'),('Ṟ','r'),('ṟ','r'),('Ɽ','r'),('Ꞧ','r'),('ꞧ','r'),('Ｒ','r'),('ｒ','r'),
('Ś','s'),('ś','s'),('Ŝ','s'),('ŝ','s'),('Ş','s'),('ş','s'),('Š','s'),('š','s'),('ſ','s'),('Ș','s'),('ș','s'),('ʂ','s'),('ˢ','s'),('ᶳ','s'),('Ṡ','s'),('ṡ','s'),('Ṣ','s'),('ṣ','s'),('Ṥ','s'),('ṥ','s'),('Ṧ','s'),('ṧ','s'),('Ṩ','s'),('ṩ','s'),('ẛ','s'),('ₛ','s'),('Ꞩ','s'),('ꞩ','s'),('Ʂ','s'),('꟱','s'),('Ｓ','s'),('ｓ','s'),
('ß','ss'),('ẞ','ss'),
('ﬅ','st'),('ﬆ','st'),
('Ţ','t'),('ţ','t'),('Ť','t'),('ť','t'),('Ŧ','t'),('ŧ','t'),('ƫ','t'),('Ƭ','t'),('ƭ','t'),('Ʈ','t'),('Ț','t'),('ț','t'),('Ⱦ','t'),('ʈ','t'),('ᵀ','t'),('ᵗ','t'),('ᶵ','t'),('Ṫ','t'),('ṫ','t'),('Ṭ','t'),('ṭ','t'),('Ṯ','t'),('ṯ','t'),('Ṱ','t'),('ṱ','t'),('ẗ','t'),('ₜ','t'),('ⱦ','t'),('Ｔ','t'),('ｔ','t'),
('Þ','th'),('þ','th'),
('Ù','u'),('Ú','u'),('Û','u'),('Ü','u'),('ù','u'),('ú','u'),('û','u'),('ü','u'),('Ũ','u'),('ũ','u'),('Ū','u'),('ū','u'),('Ŭ','u'),('ŭ','u'),('Ů','u'),('ů','u'),('Ű','u'),('ű','u'),('Ų','u'),('ų','u'),('Ư','u'),('ư','u'),('Ǔ','u'),('ǔ','u'),('Ǖ','u'),('ǖ','u'),('Ǘ','u'),('ǘ','u'),('Ǚ','u'),('ǚ','u'),('Ǜ','u'),('ǜ','u'),('Ȕ','u'),('ȕ','u'),('Ȗ','u'),('ȗ','u'),('Ʉ','u'),('ʉ','u'),('ᵁ','u'),('ᵘ','u'),('ᵤ','u'),('ᶶ','u'),('Ṳ','u'),('ṳ','u'),('Ṵ','u'),('ṵ','u'),('Ṷ','u'),('ṷ','u'),('Ṹ','u'),('ṹ','u'),('Ṻ','u'),('ṻ','u'),('Ụ','u'),('ụ','u'),('Ủ','u'),('ủ','u'),('Ứ','u'),('ứ','u'),('Ừ','u'),('ừ','u'),('Ử','u'),('ử','u'),('Ữ','u'),('ữ','u'),('Ự','u'),('ự','u'),('Ｕ','u'),('ｕ','u'),
('Ʋ','v'),('ʋ','v'),('ᵛ','v'),('ᵥ','v'),('ᶹ','v'),('Ṽ','v'),('ṽ','v'),('Ṿ','v'),('ṿ','v'),('ⱴ','v'),('ⱽ','v'),('Ｖ','v'),('ｖ','v'),
('Ŵ','w'),('ŵ','w'),('ʷ','w'),('ᵂ','w'),('Ẁ','w'),('ẁ','w'),('Ẃ','w'),('ẃ','w'),('Ẅ','w'),('ẅ','w'),('Ẇ','w'),('ẇ','w'),('Ẉ','w'),('ẉ','w'),('ẘ','w'),('Ⱳ','w'),('ⱳ','w'),('Ｗ','w'),('ｗ','w'),
('ˣ','x'),('Ẋ','x'),('ẋ','x'),('Ẍ','x'),('ẍ','x'),('ₓ','x'),('Ｘ','x'),('ｘ','x'),
('Ý','y'),('ý','y'),('ÿ','y'),('Ŷ','y'),('ŷ','y'),('Ÿ','y'),('Ƴ','y'),('ƴ','y'),('Ȳ','y'),('ȳ','y'),('Ɏ','y'),('ɏ','y'),('ʸ','y'),('Ẏ','y'),('ẏ','y'),('ẙ','y'),('Ỳ','y'),('ỳ','y'),('Ỵ','y'),('ỵ','y'),('Ỷ','y'),('ỷ','y'),('Ỹ','y'),('ỹ','y'),('Ｙ','y'),('ｙ','y'),
('Ź','z'),('ź','z'),('Ż','z'),('ż','z'),('Ž','z'),('ž','z'),('Ƶ','z'),('ƶ','z'),('Ȥ','z'),('ȥ','z'),('ʐ','z'),('ᶻ','z'),('ᶼ','z'),('Ẑ','z'),('ẑ','z'),('Ẓ','z'),('ẓ','z'),('Ẕ','z'),('ẕ','z'),('Ⱬ','z'),('ⱬ','z'),('Ｚ','z'),('ｚ','z'),
('Ά','α'),('Α','α'),('ά','α'),('ἀ','α'),('ἁ','α'),('ἂ','α'),('ἃ','α'),('ἄ','α'),('ἅ','α'),('ἆ','α'),('ἇ','α'),('Ἀ','α'),('Ἁ','α'),('Ἂ','α'),('Ἃ','α'),('Ἄ','α'),('Ἅ','α'),('Ἆ','α'),('Ἇ','α'),('ὰ','α'),('ά','α'),('ᾀ','α'),('ᾁ','α'),('ᾂ','α'),('ᾃ','α'),('ᾄ','α'),('ᾅ','α'),('ᾆ','α'),('ᾇ','α'),('ᾈ','α'),('ᾉ','α'),('ᾊ','α'),('ᾋ','α'),('ᾌ','α'),('ᾍ','α'),('ᾎ','α'),('ᾏ','α'),('ᾰ','α'),('ᾱ','α'),('ᾲ','α'),('ᾳ','α'),('ᾴ','α'),('ᾶ','α'),('ᾷ','α'),('Ᾰ','α'),('Ᾱ','α'),('Ὰ','α'),('Ά','α'),('ᾼ','α'),
('Β','β'),('ϐ','β'),('ᵝ','β'),('ᵦ','β'),
('Γ','γ'),('ᵞ','γ'),('ᵧ','γ'),
('Δ','δ'),('ᵟ','δ'),
('Έ','ε'),('Ε','ε'),('έ','ε'),('ϵ','ε'),('ἐ','ε'),('ἑ','ε'),('ἒ','ε'),('ἓ','ε'),('ἔ','ε'),('ἕ','ε'),('Ἐ','ε'),('Ἑ','ε'),('Ἒ','ε'),('Ἓ','ε'),('Ἔ','ε'),('Ἕ','ε'),('ὲ','ε'),('έ','ε'),('Ὲ','ε'),('Έ','ε'),
('Ή','η'),('Η','η'),('ή','η'),('ἠ','η'),('ἡ','η'),('ἢ','η'),('ἣ','η'),('ἤ','η'),('ἥ','η'),('ἦ','η'),('ἧ','η'),('Ἠ','η'),('Ἡ','η'),('Ἢ','η'),('Ἣ','η'),('Ἤ','η'),('Ἥ','η'),('Ἦ','η'),('Ἧ','η'),('ὴ','η'),('ή','η'),('ᾐ','η'),('ᾑ','η'),('ᾒ','η'),('ᾓ','η'),('ᾔ','η'),('ᾕ','η'),('ᾖ','η'),('ᾗ','η'),('ᾘ','η'),('ᾙ','η'),('ᾚ','η'),('ᾛ','η'),('ᾜ','η'),('ᾝ','η'),('ᾞ','η'),('ᾟ','η'),('ῂ','η'),('ῃ','η'),('ῄ','η'),('ῆ','η'),('ῇ','η'),('Ὴ','η'),('Ή','η'),('ῌ','η'),
('Θ','θ'),('ϑ','θ'),('ϴ','θ'),('ᶿ','θ'),
('Ί','ι'),('ΐ','ι'),('Ι','ι'),('Ϊ','ι'),('ί','ι'),('ϊ','ι'),('ἰ','ι'),('ἱ','ι'),('ἲ','ι'),('ἳ','ι'),('ἴ','ι'),('ἵ','ι'),('ἶ','ι'),('ἷ','ι'),('Ἰ','ι'),('Ἱ','ι'),('Ἲ','ι'),('Ἳ','ι'),('Ἴ','ι'),('Ἵ','ι'),('Ἶ','ι'),('Ἷ','ι'),('ὶ','ι'),('ί','ι'),('ι','ι'),('ῐ','ι'),('ῑ','ι'),('ῒ','ι'),('ΐ','ι'),('ῖ','ι'),('ῗ','ι'),('Ῐ','ι'),('Ῑ','ι'),('Ὶ','ι'),('Ί','ι'),
('Κ','κ'),('ϰ','κ'),
('Ό','ο'),('Ο','ο'),('ό','ο'),('ὀ','ο'),('ὁ','ο'),('ὂ','ο'),('ὃ','ο'),('ὄ','ο'),('ὅ','ο'),('Ὀ','ο'),('Ὁ','ο'),('Ὂ','ο'),('Ὃ','ο'),('Ὄ','ο'),('Ὅ','ο'),('ὸ','ο'),('ό','ο'),('Ὸ','ο'),('Ό','ο'),
('Π','π'),('ϖ','π'),
('Ρ','ρ'),('ϱ','ρ'),('ᵨ','ρ'),('ῤ','ρ'),('ῥ','ρ'),('Ῥ','ρ'),
('Σ','σ'),('ς','σ'),('ϲ','σ'),('Ϲ','σ'),
('Ύ','υ'),('Υ','υ'),('Ϋ','υ'),('ΰ','υ'),('ϋ','υ'),('ύ','υ'),('ϒ','υ'),('ϓ','υ'),('ϔ','υ'),('ὐ','υ'),('ὑ','υ'),('ὒ','υ'),('ὓ','υ'),('ὔ','υ'),('ὕ','υ'),('ὖ','υ'),('ὗ','υ'),('Ὑ','υ'),('Ὓ','υ'),('Ὕ','υ'),('Ὗ','υ'),('ὺ','υ'),('ύ','υ'),('ῠ','υ'),('ῡ','υ'),('ῢ','υ'),('ΰ','υ'),('ῦ','υ'),('ῧ','υ'),('Ῠ','υ'),('Ῡ','υ'),('Ὺ','υ'),('Ύ','υ'),
('Φ','φ'),('ϕ','φ'),('ᵠ','φ'),('ᵩ','φ'),
('Χ','χ'),('ᵡ','χ'),('ᵪ','χ'),
('Ώ','ω'),('Ω','ω'),('ώ','ω'),('ὠ','ω'),('ὡ','ω'),('ὢ','ω'),('ὣ','ω'),('ὤ','ω'),('ὥ','ω'),('ὦ','ω'),('ὧ','ω'),('Ὠ','ω'),('Ὡ','ω'),('Ὢ','ω'),('Ὣ','ω'),('Ὤ','ω'),('Ὥ','ω'),('Ὦ','ω'),('Ὧ','ω'),('ὼ','ω'),('ώ','ω'),('ᾠ','ω'),('ᾡ','ω'),('ᾢ','ω'),('ᾣ','ω'),('ᾤ','ω'),('ᾥ','ω'),('ᾦ','ω'),('ᾧ','ω'),('ᾨ','ω'),('ᾩ','ω'),('ᾪ','ω'),('ᾫ','ω'),('ᾬ','ω'),('ᾭ','ω'),('ᾮ','ω'),('ᾯ','ω'),('ῲ','ω'),('ῳ','ω'),('ῴ','ω'),('ῶ','ω'),('ῷ','ω'),('Ὼ','ω'),('Ώ','ω'),('ῼ','ω'),('Ω','ω'),
('А','а'),('Ӑ','а'),('ӑ','а'),('Ӓ','а'),('ӓ','а'),
('Ѓ','г'),('Г','г'),('ѓ','г'),
('Ѐ','е'),('Ё','е'),('Е','е'),('ѐ','е'),('ё','е'),('Ӗ','е'),('ӗ','е'),
('Ж','ж'),('Ӂ','ж'),('ӂ','ж'),('Ӝ','ж'),('ӝ','ж'),
('З','з'),('Ӟ','з'),('ӟ','з'),
('Ѝ','и'),('И','и'),('Й','и'),('й','и'),('ѝ','и'),('Ӣ','и'),('ӣ','и'),('Ӥ','и'),('ӥ','и'),
('Ќ','к'),('К','к'),('ќ','к'),
('Н','н'),('ᵸ','н'),
('О','о'),('Ӧ','о'),('ӧ','о'),
('Ў','у'),('У','у'),('ў','у'),('Ӯ','у'),('ӯ','у'),('Ӱ','у'),('ӱ','у'),('Ӳ','у'),('ӳ','у'),
('Ч','ч'),('Ӵ','ч'),('ӵ','ч'),
('Ъ','ъ'),('ꚜ','ъ'),
('Ы','ы'),('Ӹ','ы'),('ӹ','ы'),
('Ь','ь'),('ꚝ','ь'),
('Э','э'),('Ӭ','э'),('ӭ','э'),
('І','і'),('Ї','і'),('ї','і'),
('Ѵ','ѵ'),('Ѷ','ѵ'),('ѷ','ѵ'),
('Ә','ә'),('Ӛ','ә'),('ӛ','ә'),
('Ө','ө'),('Ӫ','ө'),('ӫ','ө'),
('Ͱ','ͱ'),
('Ͳ','ͳ'),
('Ͷ','ͷ'),
('Ͻ','ͻ'),
('Ͼ','ͼ'),
('Ͽ','ͽ'),
('Ζ','ζ'),
('Λ','λ'),
('Μ','μ'),
('Ν','ν'),
('Ξ','ξ'),
('Τ','τ'),
('Ψ','ψ'),
('Ϗ','ϗ'),
('Ϙ','ϙ'),
('Ϛ','ϛ'),
('Ϝ','ϝ'),
('Ϟ','ϟ'),
('Ϡ','ϡ'),
('Ϳ','ϳ'),
('Ϸ','ϸ'),
('Ϻ','ϻ'),
('Б','б'),
('В','в'),
('Д','д'),
('Л','л'),
('М','м'),
('П','п'),
('Р','р'),
('С','с'),
('Т','т'),
('Ф','ф'),
('Х','х'),
('Ц','ц'),
('Ш','ш'),
('Щ','щ'),
('Ю','ю'),
('Я','я'),
('Ђ','ђ'),
('Є','є'),
('Ѕ','ѕ'),
('Ј','ј'),
('Љ','љ'),
('Њ','њ'),
('Ћ','ћ'),
('Џ','џ'),
('Ѡ','ѡ'),
('Ѣ','ѣ'),
('Ѥ','ѥ'),
('Ѧ','ѧ'),
('Ѩ','ѩ'),
('Ѫ','ѫ'),
('Ѭ','ѭ'),
('Ѯ','ѯ'),
('Ѱ','ѱ'),
('Ѳ','ѳ'),
('Ѹ','ѹ'),
('Ѻ','ѻ'),
('Ѽ','ѽ'),
('Ѿ','ѿ'),
('Ҁ','ҁ'),
('Ҋ','ҋ'),
('Ҍ','ҍ'),
('Ҏ','ҏ'),
('Ґ','ґ'),
('Ғ','ғ'),
('Ҕ','ҕ'),
('Җ','җ'),
('Ҙ','ҙ'),
('Қ','қ'),
('Ҝ','ҝ'),
('Ҟ','ҟ'),
('Ҡ','ҡ'),
('Ң','ң'),
('Ҥ','ҥ'),
('Ҧ','ҧ'),
('Ҩ','ҩ'),
('Ҫ','ҫ'),
('Ҭ','ҭ'),
('Ү','ү'),
('Ұ','ұ'),
('Ҳ','ҳ'),
('Ҵ','ҵ'),
('Ҷ','ҷ'),
('Ҹ','ҹ'),
('Һ','һ'),
('Ҽ','ҽ'),
('Ҿ','ҿ'),
('Ӄ','ӄ'),
('Ӆ','ӆ'),
('Ӈ','ӈ'),
('Ӊ','ӊ'),
('Ӌ','ӌ'),
('Ӎ','ӎ'),
('Ӏ','ӏ'),
('Ӕ','ӕ'),
('Ӡ','ӡ'),
('Ӷ','ӷ'),
('Ӻ','ӻ'),
('Ӽ','ӽ'),
('Ӿ','ӿ'),
('Ԁ','ԁ'),
('Ԃ','ԃ'),
('Ԅ','ԅ'),
('Ԇ','ԇ'),
('Ԉ','ԉ'),
('Ԋ','ԋ'),
('Ԍ','ԍ'),
('Ԏ','ԏ'),
('Ԑ','ԑ'),
('Ԓ','ԓ'),
('Ԕ','ԕ'),
('Ԗ','ԗ'),
('Ԙ','ԙ'),
('Ԛ','ԛ'),
('Ԝ','ԝ'),
('Ԟ','ԟ'),
('Ԡ','ԡ'),
('Ԣ','ԣ'),
('Ԥ','ԥ'),
('Ԧ','ԧ'),
('Ԩ','ԩ'),
('Ԫ','ԫ'),
('Ԭ','ԭ'),
('Ԯ','ԯ'),
('̀',''),('́',''),('̂',''),('̃',''),('̄',''),('̅',''),('̆',''),('̇',''),('̈',''),('̉',''),('̊',''),('̋',''),('̌',''),('̍',''),('̎',''),('̏',''),('̐',''),('̑',''),('̒',''),('̓',''),('̔',''),('̕',''),('̖',''),('̗',''),('̘',''),('̙',''),('̚',''),('̛',''),('̜',''),('̝',''),('̞',''),('̟',''),('̠',''),('̡',''),('̢',''),('̣',''),('̤',''),('̥',''),('̦',''),('̧',''),('̨',''),('̩',''),('̪',''),('̫',''),('̬',''),('̭',''),('̮',''),('̯',''),('̰',''),('̱',''),('̲',''),('̳',''),('̴',''),('̵',''),('̶',''),('̷',''),('̸',''),('̹',''),('̺',''),('̻',''),('̼',''),('̽',''),('̾',''),('̿',''),('̀',''),('́',''),('͂',''),('̓',''),('̈́',''),('ͅ',''),('͆',''),('͇',''),('͈',''),('͉',''),('͊',''),('͋',''),('͌',''),('͍',''),('͎',''),('͏',''),('͐',''),('͑',''),('͒',''),('͓',''),('͔',''),('͕',''),('͖',''),('͗',''),('͘',''),('͙',''),('͚',''),('͛',''),('͜',''),('͝',''),('͞',''),('͟',''),('͠',''),('͡',''),('͢',''),('ͣ',''),('ͤ',''),('ͥ',''),('ͦ',''),('ͧ',''),('ͨ',''),('ͩ',''),('ͪ',''),('ͫ',''),('ͬ',''),('ͭ',''),('ͮ',''),('ͯ','');--> statement-breakpoint
CREATE TABLE `pet_names` (
	`id` integer PRIMARY KEY NOT NULL,
	`folded` text NOT NULL,
	`at` integer GENERATED ALWAYS AS ("id" + 0) VIRTUAL
) STRICT;
--> statement-breakpoint
INSERT INTO `pet_names` (`id`, `folded`) SELECT `id`, iif(`name` NOT GLOB '*[^ -~]*', lower(`name`), (
		WITH RECURSIVE fold (folded, rest) AS (
			SELECT lower(`name`), ltrim(lower(`name`), ' !"#$%&''()*+,-./0123456789:;<=>?@[\]^_`abcdefghijklmnopqrstuvwxyz{|}~')
			UNION ALL
			SELECT
				replace(folded, substr(rest, 1, 1), coalesce((SELECT l.folded FROM letter_folds l WHERE l.letter = substr(rest, 1, 1)), substr(rest, 1, 1))),
				ltrim(replace(rest, substr(rest, 1, 1), ''), ' !"#$%&''()*+,-./0123456789:;<=>?@[\]^_`abcdefghijklmnopqrstuvwxyz{|}~')
			FROM fold WHERE substr(rest, 1, 1) <> ''
		)
		SELECT folded FROM fold WHERE substr(rest, 1, 1) = ''
	)) FROM `pets`;--> statement-breakpoint
CREATE INDEX `pet_names_by_name` ON `pet_names` (`folded`,`at`);--> statement-breakpoint
-- The same index of words as before, over folded names.
DROP TABLE `pets_words`;--> statement-breakpoint
CREATE VIRTUAL TABLE `pets_words` USING fts5(name, content='', contentless_delete=1, detail=none, tokenize='unicode61 remove_diacritics 2', prefix='1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20');--> statement-breakpoint
INSERT INTO `pets_words` (`rowid`, `name`) SELECT `id`, `folded` FROM `pet_names`;--> statement-breakpoint
CREATE TABLE `pet_counts_by_category` (
	`category_id` integer PRIMARY KEY NOT NULL,
	`available` integer NOT NULL,
	`pending` integer NOT NULL,
	`sold` integer NOT NULL,
	`none` integer NOT NULL
) STRICT;
--> statement-breakpoint
INSERT INTO `pet_counts_by_category` SELECT `category_id`, sum(`status` IS 'available'), sum(`status` IS 'pending'), sum(`status` IS 'sold'), sum(`status` IS NULL) FROM `pets` GROUP BY 1;--> statement-breakpoint
CREATE TABLE `pet_counts_by_day` (
	`day` integer PRIMARY KEY NOT NULL,
	`available` integer NOT NULL,
	`pending` integer NOT NULL,
	`sold` integer NOT NULL,
	`none` integer NOT NULL
) STRICT;
--> statement-breakpoint
INSERT INTO `pet_counts_by_day` SELECT `created_at` / 86400000, sum(`status` IS 'available'), sum(`status` IS 'pending'), sum(`status` IS 'sold'), sum(`status` IS NULL) FROM `pets` GROUP BY 1;--> statement-breakpoint
DROP TRIGGER `pets_added`;--> statement-breakpoint
CREATE TRIGGER `pets_added` AFTER INSERT ON `pets` BEGIN
	INSERT INTO `pet_names` (`id`, `folded`) VALUES (new.`id`, iif(new.`name` NOT GLOB '*[^ -~]*', lower(new.`name`), (
		WITH RECURSIVE fold (folded, rest) AS (
			SELECT lower(new.`name`), ltrim(lower(new.`name`), ' !"#$%&''()*+,-./0123456789:;<=>?@[\]^_`abcdefghijklmnopqrstuvwxyz{|}~')
			UNION ALL
			SELECT
				replace(folded, substr(rest, 1, 1), coalesce((SELECT l.folded FROM letter_folds l WHERE l.letter = substr(rest, 1, 1)), substr(rest, 1, 1))),
				ltrim(replace(rest, substr(rest, 1, 1), ''), ' !"#$%&''()*+,-./0123456789:;<=>?@[\]^_`abcdefghijklmnopqrstuvwxyz{|}~')
			FROM fold WHERE substr(rest, 1, 1) <> ''
		)
		SELECT folded FROM fold WHERE substr(rest, 1, 1) = ''
	)));
	INSERT INTO `pets_words` (`rowid`, `name`) SELECT `id`, `folded` FROM `pet_names` WHERE `id` = new.`id`;
	INSERT INTO `pet_counts_by_category` (`category_id`, `available`, `pending`, `sold`, `none`) VALUES (new.`category_id`, new.`status` IS 'available', new.`status` IS 'pending', new.`status` IS 'sold', new.`status` IS NULL)
	ON CONFLICT (`category_id`) DO UPDATE SET `available` = `available` + excluded.`available`, `pending` = `pending` + excluded.`pending`, `sold` = `sold` + excluded.`sold`, `none` = `none` + excluded.`none`;
	INSERT INTO `pet_counts_by_day` (`day`, `available`, `pending`, `sold`, `none`) VALUES (new.`created_at` / 86400000, new.`status` IS 'available', new.`status` IS 'pending', new.`status` IS 'sold', new.`status` IS NULL)
	ON CONFLICT (`day`) DO UPDATE SET `available` = `available` + excluded.`available`, `pending` = `pending` + excluded.`pending`, `sold` = `sold` + excluded.`sold`, `none` = `none` + excluded.`none`;
	INSERT INTO `pet_events` (`kind`, `pet_id`) VALUES ('added', new.`id`);
END;--> statement-breakpoint
DROP TRIGGER `pets_renamed`;--> statement-breakpoint
CREATE TRIGGER `pets_renamed` AFTER UPDATE OF `name` ON `pets` WHEN old.`name` <> new.`name` BEGIN
	UPDATE `pet_names` SET `folded` = iif(new.`name` NOT GLOB '*[^ -~]*', lower(new.`name`), (
		WITH RECURSIVE fold (folded, rest) AS (
			SELECT lower(new.`name`), ltrim(lower(new.`name`), ' !"#$%&''()*+,-./0123456789:;<=>?@[\]^_`abcdefghijklmnopqrstuvwxyz{|}~')
			UNION ALL
			SELECT
				replace(folded, substr(rest, 1, 1), coalesce((SELECT l.folded FROM letter_folds l WHERE l.letter = substr(rest, 1, 1)), substr(rest, 1, 1))),
				ltrim(replace(rest, substr(rest, 1, 1), ''), ' !"#$%&''()*+,-./0123456789:;<=>?@[\]^_`abcdefghijklmnopqrstuvwxyz{|}~')
			FROM fold WHERE substr(rest, 1, 1) <> ''
		)
		SELECT folded FROM fold WHERE substr(rest, 1, 1) = ''
	)) WHERE `id` = old.`id`;
	UPDATE `pets_words` SET `name` = (SELECT `folded` FROM `pet_names` WHERE `id` = old.`id`) WHERE `rowid` = old.`id`;
END;--> statement-breakpoint
CREATE TRIGGER `pets_moved` AFTER UPDATE OF `category_id`, `status` ON `pets` WHEN old.`category_id` <> new.`category_id` OR old.`status` IS NOT new.`status` BEGIN
	UPDATE `pet_counts_by_category` SET `available` = `available` - (old.`status` IS 'available'), `pending` = `pending` - (old.`status` IS 'pending'), `sold` = `sold` - (old.`status` IS 'sold'), `none` = `none` - (old.`status` IS NULL)
	WHERE `category_id` = old.`category_id`;
	DELETE FROM `pet_counts_by_category`
	WHERE `category_id` = old.`category_id` AND `available` = 0 AND `pending` = 0 AND `sold` = 0 AND `none` = 0;
	INSERT INTO `pet_counts_by_category` (`category_id`, `available`, `pending`, `sold`, `none`) VALUES (new.`category_id`, new.`status` IS 'available', new.`status` IS 'pending', new.`status` IS 'sold', new.`status` IS NULL)
	ON CONFLICT (`category_id`) DO UPDATE SET `available` = `available` + excluded.`available`, `pending` = `pending` + excluded.`pending`, `sold` = `sold` + excluded.`sold`, `none` = `none` + excluded.`none`;
	UPDATE `pet_counts_by_day` SET `available` = `available` - (old.`status` IS 'available') + (new.`status` IS 'available'), `pending` = `pending` - (old.`status` IS 'pending') + (new.`status` IS 'pending'), `sold` = `sold` - (old.`status` IS 'sold') + (new.`status` IS 'sold'), `none` = `none` - (old.`status` IS NULL) + (new.`status` IS NULL)
	WHERE `day` = old.`created_at` / 86400000;
END;--> statement-breakpoint
DROP TRIGGER `pets_deleted`;--> statement-breakpoint
CREATE TRIGGER `pets_deleted` AFTER DELETE ON `pets` BEGIN
	DELETE FROM `pets_words` WHERE `rowid` = old.`id`;
	DELETE FROM `pet_names` WHERE `id` = old.`id`;
	UPDATE `pet_counts_by_category` SET `available` = `available` - (old.`status` IS 'available'), `pending` = `pending` - (old.`status` IS 'pending'), `sold` = `sold` - (old.`status` IS 'sold'), `none` = `none` - (old.`status` IS NULL)
	WHERE `category_id` = old.`category_id`;
	DELETE FROM `pet_counts_by_category`
	WHERE `category_id` = old.`category_id` AND `available` = 0 AND `pending` = 0 AND `sold` = 0 AND `none` = 0;
	UPDATE `pet_counts_by_day` SET `available` = `available` - (old.`status` IS 'available'), `pending` = `pending` - (old.`status` IS 'pending'), `sold` = `sold` - (old.`status` IS 'sold'), `none` = `none` - (old.`status` IS NULL) WHERE `day` = old.`created_at` / 86400000;
	INSERT INTO `pet_events` (`kind`, `pet_id`) VALUES ('deleted', old.`id`);
END;--> statement-breakpoint
-- The words of orders too, over folded names.
DROP TABLE `orders_words`;--> statement-breakpoint
CREATE VIRTUAL TABLE `orders_words` USING fts5(words, content='', contentless_delete=1, detail=none, tokenize='unicode61 remove_diacritics 2', prefix='1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20');--> statement-breakpoint
INSERT INTO `orders_words` (`rowid`, `words`) SELECT `id`, iif((coalesce(`adopter_name`, '') || ' ' || coalesce(`adopter_email`, '')) NOT GLOB '*[^ -~]*', lower((coalesce(`adopter_name`, '') || ' ' || coalesce(`adopter_email`, ''))), (
		WITH RECURSIVE fold (folded, rest) AS (
			SELECT lower((coalesce(`adopter_name`, '') || ' ' || coalesce(`adopter_email`, ''))), ltrim(lower((coalesce(`adopter_name`, '') || ' ' || coalesce(`adopter_email`, ''))), ' !"#$%&''()*+,-./0123456789:;<=>?@[\]^_`abcdefghijklmnopqrstuvwxyz{|}~')
			UNION ALL
			SELECT
				replace(folded, substr(rest, 1, 1), coalesce((SELECT l.folded FROM letter_folds l WHERE l.letter = substr(rest, 1, 1)), substr(rest, 1, 1))),
				ltrim(replace(rest, substr(rest, 1, 1), ''), ' !"#$%&''()*+,-./0123456789:;<=>?@[\]^_`abcdefghijklmnopqrstuvwxyz{|}~')
			FROM fold WHERE substr(rest, 1, 1) <> ''
		)
		SELECT folded FROM fold WHERE substr(rest, 1, 1) = ''
	)) || ' ' || coalesce((SELECT `pet_names`.`folded` FROM `pet_names` WHERE `pet_names`.`id` = `pet_id`), '') FROM `orders`;--> statement-breakpoint
DROP TRIGGER `orders_added`;--> statement-breakpoint
CREATE TRIGGER `orders_added` AFTER INSERT ON `orders` BEGIN
	INSERT INTO `orders_words` (`rowid`, `words`) VALUES (new.`id`, iif((coalesce(new.`adopter_name`, '') || ' ' || coalesce(new.`adopter_email`, '')) NOT GLOB '*[^ -~]*', lower((coalesce(new.`adopter_name`, '') || ' ' || coalesce(new.`adopter_email`, ''))), (
		WITH RECURSIVE fold (folded, rest) AS (
			SELECT lower((coalesce(new.`adopter_name`, '') || ' ' || coalesce(new.`adopter_email`, ''))), ltrim(lower((coalesce(new.`adopter_name`, '') || ' ' || coalesce(new.`adopter_email`, ''))), ' !"#$%&''()*+,-./0123456789:;<=>?@[\]^_`abcdefghijklmnopqrstuvwxyz{|}~')
			UNION ALL
			SELECT
				replace(folded, substr(rest, 1, 1), coalesce((SELECT l.folded FROM letter_folds l WHERE l.letter = substr(rest, 1, 1)), substr(rest, 1, 1))),
				ltrim(replace(rest, substr(rest, 1, 1), ''), ' !"#$%&''()*+,-./0123456789:;<=>?@[\]^_`abcdefghijklmnopqrstuvwxyz{|}~')
			FROM fold WHERE substr(rest, 1, 1) <> ''
		)
		SELECT folded FROM fold WHERE substr(rest, 1, 1) = ''
	)) || ' ' || coalesce((SELECT `pet_names`.`folded` FROM `pet_names` WHERE `pet_names`.`id` = new.`pet_id`), ''));
END;--> statement-breakpoint
DROP TRIGGER `orders_adopter_changed`;--> statement-breakpoint
CREATE TRIGGER `orders_adopter_changed` AFTER UPDATE OF `adopter_name`, `adopter_email` ON `orders` WHEN old.`adopter_name` IS NOT new.`adopter_name` OR old.`adopter_email` IS NOT new.`adopter_email` BEGIN
	UPDATE `orders_words` SET `words` = iif((coalesce(new.`adopter_name`, '') || ' ' || coalesce(new.`adopter_email`, '')) NOT GLOB '*[^ -~]*', lower((coalesce(new.`adopter_name`, '') || ' ' || coalesce(new.`adopter_email`, ''))), (
		WITH RECURSIVE fold (folded, rest) AS (
			SELECT lower((coalesce(new.`adopter_name`, '') || ' ' || coalesce(new.`adopter_email`, ''))), ltrim(lower((coalesce(new.`adopter_name`, '') || ' ' || coalesce(new.`adopter_email`, ''))), ' !"#$%&''()*+,-./0123456789:;<=>?@[\]^_`abcdefghijklmnopqrstuvwxyz{|}~')
			UNION ALL
			SELECT
				replace(folded, substr(rest, 1, 1), coalesce((SELECT l.folded FROM letter_folds l WHERE l.letter = substr(rest, 1, 1)), substr(rest, 1, 1))),
				ltrim(replace(rest, substr(rest, 1, 1), ''), ' !"#$%&''()*+,-./0123456789:;<=>?@[\]^_`abcdefghijklmnopqrstuvwxyz{|}~')
			FROM fold WHERE substr(rest, 1, 1) <> ''
		)
		SELECT folded FROM fold WHERE substr(rest, 1, 1) = ''
	)) || ' ' || coalesce((SELECT `pet_names`.`folded` FROM `pet_names` WHERE `pet_names`.`id` = new.`pet_id`), '') WHERE `rowid` = old.`id`;
END;--> statement-breakpoint
DROP TRIGGER `orders_pet_renamed`;--> statement-breakpoint
CREATE TRIGGER `orders_pet_renamed` AFTER UPDATE OF `name` ON `pets` WHEN old.`name` <> new.`name` BEGIN
	UPDATE `orders_words` SET `words` = (SELECT iif((coalesce(`adopter_name`, '') || ' ' || coalesce(`adopter_email`, '')) NOT GLOB '*[^ -~]*', lower((coalesce(`adopter_name`, '') || ' ' || coalesce(`adopter_email`, ''))), (
		WITH RECURSIVE fold (folded, rest) AS (
			SELECT lower((coalesce(`adopter_name`, '') || ' ' || coalesce(`adopter_email`, ''))), ltrim(lower((coalesce(`adopter_name`, '') || ' ' || coalesce(`adopter_email`, ''))), ' !"#$%&''()*+,-./0123456789:;<=>?@[\]^_`abcdefghijklmnopqrstuvwxyz{|}~')
			UNION ALL
			SELECT
				replace(folded, substr(rest, 1, 1), coalesce((SELECT l.folded FROM letter_folds l WHERE l.letter = substr(rest, 1, 1)), substr(rest, 1, 1))),
				ltrim(replace(rest, substr(rest, 1, 1), ''), ' !"#$%&''()*+,-./0123456789:;<=>?@[\]^_`abcdefghijklmnopqrstuvwxyz{|}~')
			FROM fold WHERE substr(rest, 1, 1) <> ''
		)
		SELECT folded FROM fold WHERE substr(rest, 1, 1) = ''
	)) || ' ' || iif(new.`name` NOT GLOB '*[^ -~]*', lower(new.`name`), (
		WITH RECURSIVE fold (folded, rest) AS (
			SELECT lower(new.`name`), ltrim(lower(new.`name`), ' !"#$%&''()*+,-./0123456789:;<=>?@[\]^_`abcdefghijklmnopqrstuvwxyz{|}~')
			UNION ALL
			SELECT
				replace(folded, substr(rest, 1, 1), coalesce((SELECT l.folded FROM letter_folds l WHERE l.letter = substr(rest, 1, 1)), substr(rest, 1, 1))),
				ltrim(replace(rest, substr(rest, 1, 1), ''), ' !"#$%&''()*+,-./0123456789:;<=>?@[\]^_`abcdefghijklmnopqrstuvwxyz{|}~')
			FROM fold WHERE substr(rest, 1, 1) <> ''
		)
		SELECT folded FROM fold WHERE substr(rest, 1, 1) = ''
	)) FROM `orders` WHERE `orders`.`id` = `orders_words`.`rowid`) WHERE `rowid` IN (SELECT `id` FROM `orders` WHERE `pet_id` = old.`id`);
END;--> statement-breakpoint
DROP TRIGGER `orders_pet_deleted`;--> statement-breakpoint
CREATE TRIGGER `orders_pet_deleted` AFTER DELETE ON `pets` BEGIN
	UPDATE `orders_words` SET `words` = (SELECT iif((coalesce(`adopter_name`, '') || ' ' || coalesce(`adopter_email`, '')) NOT GLOB '*[^ -~]*', lower((coalesce(`adopter_name`, '') || ' ' || coalesce(`adopter_email`, ''))), (
		WITH RECURSIVE fold (folded, rest) AS (
			SELECT lower((coalesce(`adopter_name`, '') || ' ' || coalesce(`adopter_email`, ''))), ltrim(lower((coalesce(`adopter_name`, '') || ' ' || coalesce(`adopter_email`, ''))), ' !"#$%&''()*+,-./0123456789:;<=>?@[\]^_`abcdefghijklmnopqrstuvwxyz{|}~')
			UNION ALL
			SELECT
				replace(folded, substr(rest, 1, 1), coalesce((SELECT l.folded FROM letter_folds l WHERE l.letter = substr(rest, 1, 1)), substr(rest, 1, 1))),
				ltrim(replace(rest, substr(rest, 1, 1), ''), ' !"#$%&''()*+,-./0123456789:;<=>?@[\]^_`abcdefghijklmnopqrstuvwxyz{|}~')
			FROM fold WHERE substr(rest, 1, 1) <> ''
		)
		SELECT folded FROM fold WHERE substr(rest, 1, 1) = ''
	)) FROM `orders` WHERE `orders`.`id` = `orders_words`.`rowid`) WHERE `rowid` IN (SELECT `id` FROM `orders` WHERE `pet_id` = old.`id`);
END;
