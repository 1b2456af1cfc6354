/** Letters by the text that takes their place in a search and in an order by name: without accent, in lower case. */
const GROUPS: Record<string, string> = {
  a: "ªÀÁÂÃÄÅàáâãäåĀāĂăĄąǍǎǞǟǠǡǺǻȀȁȂȃȦȧȺɑᴬᵃᵅḀḁẚẠạẢảẤấẦầẨẩẪẫẬậẮắẰằẲẳẴẵẶặₐÅⱥⱭＡａ",
  ae: "ÆæǢǣǼǽᴭ",
  b: "ƀƁɃɓᴮᵇḂḃḄḅḆḇＢｂ",
  c: "ÇçĆćĈĉĊċČčȻȼᶜḈḉꞒꞓꟲＣｃ",
  d: "ÐðĎďĐđƉƊɖɗᴰᵈᶞḊḋḌḍḎḏḐḑḒḓꝹꝺＤｄ",
  dz: "ǄǅǆǱǲǳ",
  e: "ÈÉÊËèéêëĒēĔĕĖėĘęĚěƎƏƐǝȄȅȆȇȨȩɆɇəɛᴱᴲᵉᵊᵋḔḕḖḗḘḙḚḛḜḝẸẹẺẻẼẽẾếỀềỂểỄễỆệₑₔＥｅ",
  f: "ƑƒᶠḞḟꝻꝼꟳＦｆ",
  ff: "ﬀ",
  ffi: "ﬃ",
  ffl: "ﬄ",
  fi: "ﬁ",
  fl: "ﬂ",
  g: "ĜĝĞğĠġĢģƓǤǥǦǧǴǵɠɡᴳᵍᵹᶢḠḡꝽꞠꞡꞬＧｇ",
  h: "ĤĥĦħȞȟɦʰʱᴴḢḣḤḥḦḧḨḩḪḫẖₕⱧⱨꞪꟸＨｈ",
  i: "ÌÍÎÏìíîïĨĩĪīĬĭĮįİıƗǏǐȈȉȊȋɨᴵᵢᶤḬḭḮḯỈỉỊịⁱＩｉ",
  ij: "Ĳĳ",
  j: "ĴĵǰɈɉʲᴶⱼＪｊ",
  k: "ĶķĸƘƙǨǩᴷᵏḰḱḲḳḴḵₖKⱩⱪꝀꝁꝂꝃꞢꞣＫｋ",
  l: "ĹĺĻļĽľĿŀŁłƚȽɫɬɭˡᴸᶩḶḷḸḹḺḻḼḽₗⱢꞭꭞＬｌ",
  lj: "Ǉǈǉ",
  m: "ɱᴹᵐᶬḾḿṀṁṂṃₘⱮＭｍ",
  n: "ÑñŃńŅņŇňŉŊŋƝƞǸǹȠɲᴺᵑᶮṄṅṆṇṈṉṊṋⁿₙꞐꞑꞤꞥＮｎ",
  nj: "Ǌǋǌ",
  o: "ºÒÓÔÕÖØòóôõöøŌōŎŏŐőƆƟƠơǑǒǪǫǬǭǾǿȌȍȎȏȪȫȬȭȮȯȰȱɔɵᴼᵒᵓᶱṌṍṎṏṐṑṒṓỌọỎỏỐốỒồỔổỖỗỘộỚớỜờỞởỠỡỢợₒＯｏ",
  oe: "Œœꟹ",
  p: "ƤƥᴾᵖᵽṔṕṖṗₚⱣＰｐ",
  q: "ɊɋʠꟴＱｑ",
  r: "ŔŕŖŗŘřȐȑȒȓɌɍɽʳᴿᵣṘṙṚṛṜṝṞṟⱤꞦꞧＲｒ",
  s: "ŚśŜŝŞşŠšſȘșʂˢᶳṠṡṢṣṤṥṦṧṨṩẛₛꞨꞩꟅ꟱Ｓｓ",
  ss: "ßẞ",
  st: "ﬅﬆ",
  t: "ŢţŤťŦŧƫƬƭƮȚțȾʈᵀᵗᶵṪṫṬṭṮṯṰṱẗₜⱦＴｔ",
  th: "Þþ",
  u: "ÙÚÛÜùúûüŨũŪūŬŭŮůŰűŲųƯưǓǔǕǖǗǘǙǚǛǜȔȕȖȗɄʉᵁᵘᵤᶶṲṳṴṵṶṷṸṹṺṻỤụỦủỨứỪừỬửỮữỰựＵｕ",
  v: "ƲʋᵛᵥᶹṼṽṾṿⱴⱽＶｖ",
  w: "ŴŵʷᵂẀẁẂẃẄẅẆẇẈẉẘⱲⱳＷｗ",
  x: "ˣẊẋẌẍₓＸｘ",
  y: "ÝýÿŶŷŸƳƴȲȳɎɏʸẎẏẙỲỳỴỵỶỷỸỹＹｙ",
  z: "ŹźŻżŽžƵƶȤȥʐᶻᶼẐẑẒẓẔẕⱫⱬＺｚ",
  α: "ΆΑάἀἁἂἃἄἅἆἇἈἉἊἋἌἍἎἏὰάᾀᾁᾂᾃᾄᾅᾆᾇᾈᾉᾊᾋᾌᾍᾎᾏᾰᾱᾲᾳᾴᾶᾷᾸᾹᾺΆᾼ",
  β: "Βϐᵝᵦ",
  γ: "Γᵞᵧ",
  δ: "Δᵟ",
  ε: "ΈΕέϵἐἑἒἓἔἕἘἙἚἛἜἝὲέῈΈ",
  η: "ΉΗήἠἡἢἣἤἥἦἧἨἩἪἫἬἭἮἯὴήᾐᾑᾒᾓᾔᾕᾖᾗᾘᾙᾚᾛᾜᾝᾞᾟῂῃῄῆῇῊΉῌ",
  θ: "Θϑϴᶿ",
  ι: "ΊΐΙΪίϊἰἱἲἳἴἵἶἷἸἹἺἻἼἽἾἿὶίιῐῑῒΐῖῗῘῙῚΊ",
  κ: "Κϰ",
  ο: "ΌΟόὀὁὂὃὄὅὈὉὊὋὌὍὸόῸΌ",
  π: "Πϖ",
  ρ: "ΡϱᵨῤῥῬ",
  σ: "ΣςϲϹ",
  υ: "ΎΥΫΰϋύϒϓϔὐὑὒὓὔὕὖὗὙὛὝὟὺύῠῡῢΰῦῧῨῩῪΎ",
  φ: "Φϕᵠᵩ",
  χ: "Χᵡᵪ",
  ω: "ΏΩώὠὡὢὣὤὥὦὧὨὩὪὫὬὭὮὯὼώᾠᾡᾢᾣᾤᾥᾦᾧᾨᾩᾪᾫᾬᾭᾮᾯῲῳῴῶῷῺΏῼΩ",
  а: "АӐӑӒӓ",
  г: "ЃГѓ",
  е: "ЀЁЕѐёӖӗ",
  ж: "ЖӁӂӜӝ",
  з: "ЗӞӟ",
  и: "ЍИЙйѝӢӣӤӥ",
  к: "ЌКќ",
  н: "Нᵸ",
  о: "ОӦӧ",
  у: "ЎУўӮӯӰӱӲӳ",
  ч: "ЧӴӵ",
  ъ: "Ъꚜ",
  ы: "ЫӸӹ",
  ь: "Ьꚝ",
  э: "ЭӬӭ",
  і: "ІЇї",
  ѵ: "ѴѶѷ",
  ә: "ӘӚӛ",
  ө: "ӨӪӫ",
};

/** Capital letters, each before the small letter that takes its place. */
const PAIRS =
  "ͰͱͲͳͶͷϽͻϾͼϿͽΖζΛλΜμΝνΞξΤτΨψϏϗϘϙϚϛϜϝϞϟϠϡͿϳϷϸϺϻБбВвДдЛлМмПпРрСсТтФфХхЦцШшЩщЮюЯяЂђЄєЅѕЈјЉљЊњЋћЏџѠѡѢѣѤѥѦѧѨѩѪѫѬѭѮѯѰѱѲѳѸѹѺѻѼѽѾѿҀҁҊҋҌҍҎҏҐґҒғҔҕҖҗҘҙҚқҜҝҞҟҠҡҢңҤҥҦҧҨҩҪҫҬҭҮүҰұҲҳҴҵҶҷҸҹҺһҼҽҾҿӃӄӅӆӇӈӉӊӋӌӍӎӀӏӔӕӠӡӶӷӺӻӼӽӾӿԀԁԂԃԄԅԆԇԈԉԊԋԌԍԎԏԐԑԒԓԔԕԖԗԘԙԚԛԜԝԞԟԠԡԢԣԤԥԦԧԨԩԪԫԬԭԮԯ";

/** Accents that are separate characters. */
const ACCENTS = Array.from({ length: 0x70 }, (_, index) => String.fromCodePoint(0x300 + index));

/**
 * The replacement of each letter. The database has the same rows in `letter_folds`: a change here needs a migration that
 * changes them, and rebuilds `pet_names` and `pets_words`.
 */
export const LETTER_FOLDS: ReadonlyMap<string, string> = new Map([
  ...Object.entries(GROUPS).flatMap(([folded, letters]) =>
    [...letters].map((letter): [string, string] => [letter, folded]),
  ),
  ...(PAIRS.match(/../gu)?.map((pair): [string, string] => [pair.charAt(0), pair.charAt(1)]) ?? []),
  ...ACCENTS.map((accent): [string, string] => [accent, ""]),
]);

const ASCII = /^[ -~]*$/;

/** The text with folded letters: without accents and in lower case, as far as the table goes, and `ß` as `ss`. */
export const foldLetters = (text: string): string => {
  // Most names: a tenth of the time.
  if (ASCII.test(text)) return text.toLowerCase();
  return text.replaceAll(/[A-Z]|[^\0-\x7f]/gu, (letter) =>
    letter < "\x7f" ? letter.toLowerCase() : (LETTER_FOLDS.get(letter) ?? letter),
  );
};
