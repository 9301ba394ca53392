/**
 * Words, and prose made of them.
 * Invariant: plain ASCII, so that bytes and characters are the same; which words stand where hangs on the seed alone.
 */

import { chanceOf, TOPIC } from "./chance.ts";

export const WORDS = ("able acid arch atom band bark base bell bird boat body bone book bowl branch brick bridge " +
  "bright broad brown brush bucket build button cable camera canal carbon carpet castle cattle cave centre chain " +
  "chalk charge cheese circle clay clean clear climb clock cloth cloud coast coat colour column comb common " +
  "copper copy cord cork corner cotton cover crack credit crew crop cross crown crush current curve custom dance " +
  "dark daylight deep degree design detail digit direct distance division door double doubt down drain drawer " +
  "drift drink drop dry dust early earth east edge effect elastic engine equal error even event exact example " +
  "exchange expert fact fall farm feather field fight finger fire fish flag flame flat flight floor flow flower " +
  "fold force fork form frame free frequent front fruit full garden general glass glove goat gold grain grass " +
  "great green grip group growth guide hammer hand harbour harmony head heat hill history hollow hook horn horse " +
  "hour house humour ice idea impulse increase industry ink insect interest iron island jelly jewel join journey " +
  "judge jump kettle key kick knot ladder lake lamp language last leaf learn leather left letter level library " +
  "lift light line lip liquid lock long loop loud machine manager map mark market mass match material meal " +
  "measure metal middle military milk mind mine minute mist month moon morning motion mountain move music narrow " +
  "nation natural needle nerve net north note number ocean offer office oil open orange order organ oven page " +
  "paint paper parallel parcel part paste path pattern pencil person picture pipe place plain plane plant plate " +
  "plough pocket point polish port position potato powder power present press price print process produce profit " +
  "property prose protest public pump quality question quick quiet quite rail rain range rate ray reason record " +
  "regular relation request respect rest reward rhythm rice right ring river road rod roll roof room root rough " +
  "round rule sail salt sand scale school science scissors screw sea seat second seed self sense separate serious " +
  "shade shake sharp sheep shelf ship shock shoe side silk silver simple size skin sky sleep slip slope slow small " +
  "smoke smooth snow soap society soft solid song sort sound south space spade special sponge spoon spring square " +
  "stage stamp star station steam steel stem step stick stiff stitch stone store storm story straight strange " +
  "stream street stretch strong structure sugar suggestion summer sun support surprise swim system table tail " +
  "tall taste teaching test theory thick thin thread thumb thunder ticket tide tight tin tongue top touch town " +
  "trade train tray tree trick trouble true turn twist umbrella under unit use valley value verse vessel view " +
  "voice walk wall warm wash watch water wave wax way weather week weight west wheel whip whistle white wide wind " +
  "window wing winter wire wise wood wool word work world wound yellow young").split(" ");

const PARAGRAPHS = 1024;

/** A thousand paragraphs of about 400 bytes, from which every page takes its text. */
export function paragraphsOf(seed: number): readonly string[] {
  return Array.from({ length: PARAGRAPHS }, (_, i) => {
    const chance = chanceOf(seed, TOPIC.prose, i);
    const sentences: string[] = [];
    for (let length = 0; length < 300;) {
      const sentence = sentenceOf(8 + chance.below(12), () => chance.pick(WORDS));
      sentences.push(sentence);
      length += sentence.length;
    }
    return sentences.join(" ");
  });
}

function sentenceOf(words: number, word: () => string): string {
  const text = Array.from({ length: words }, word).join(" ");
  return `${text[0]!.toUpperCase()}${text.slice(1)}.`;
}
