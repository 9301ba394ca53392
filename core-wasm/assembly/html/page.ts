/**
 * What tags and text mean to the page scan: links, title, language, base, robots rules, and which text is visible.
 * Nothing in `<template>` counts. `<noscript>` is scanned for links (there is no scripting), but its text isn't visible
 * text: it is the same notice on every page of a site.
 */

import {
  ACTION, attributeMask, CONTENT_VALUE, DATA as DATA_VALUE, has, HREF, HTTP_EQUIV, LANG, METHOD, NAME, POSTER, SRC, SRCSET,
  takeValue, TYPE, valueLen, valuePtr, XLINK_HREF,
} from "./attributes";
import { equalsIgnoringCase } from "./bytes";
import {
  A, AREA, AUDIO, BASE, CONTENT, ELEMENT, EMBED, FORM, FRAME, HTML, IFRAME, IMG, INLINE, INPUT_ELEMENT, LINK,
  META, NOSCRIPT, OBJECT, SCRIPT, SOURCE, SVG_IMAGE, TEMPLATE, TEXTAREA, TITLE, TRACK, VIDEO, XMP,
} from "./elements";
import { enter, isForeign, isForeignCode, leave, resetForeign } from "./foreign";
import {
  addEmbed, addLink, addLinkElement, addRefresh, addSrcset, closeAnchor, KIND_A, KIND_AREA, KIND_FORM, KIND_FRAME, KIND_IFRAME, openAnchor,
} from "./links";
import { applyRobots, namesRobots, resetRobots } from "./robots_meta";
import { fold, foldBreak, foldEnd } from "../text/fold";
import { CDATA, DATA, PLAINTEXT, RCDATA } from "./states";
import { selfClosing, tagElement, tagKey } from "./tag";

export const WANT_EMBEDS: u32 = 1;
export const WANT_FORMS: u32 = 2;
export const WANT_NO_TEXT: u32 = 8;
/** The page is XHTML: a self-closing element has no content, whichever it is, and CDATA is text everywhere. */
export const IS_XHTML: u32 = 16;
export const WANT_ANCHORS: u32 = 32;

let wanted: u32 = 0;
let templates: u32 = 0;
let noscripts: u32 = 0;
/** The element whose raw text is read. */
let rawElement: u32 = 0;
let titleSeen: bool = false;
let baseSeen: bool = false;

/** Ranges of the page or of decoded values; a length of 0 = not there. */
export let titleStart: usize = 0;
export let titleEnd: usize = 0;
export let langPtr: usize = 0;
export let langLen: usize = 0;
export let basePtr: usize = 0;
export let baseLen: usize = 0;

export function resetPage(wants: u32): void {
  wanted = wants;
  templates = 0;
  noscripts = 0;
  rawElement = 0;
  titleSeen = false;
  baseSeen = false;
  titleStart = 0;
  titleEnd = 0;
  langLen = 0;
  baseLen = 0;
  resetForeign();
  resetRobots();
}

export function onText(p: usize, end: usize, state: u32): void {
  if (state == RCDATA && rawElement == TITLE) {
    if (titleStart == 0 && titleSeen && templates == 0) {
      titleStart = p;
      titleEnd = end;
    }
    return;
  }
  if (templates != 0 || noscripts != 0 || (wanted & WANT_NO_TEXT) != 0) return;
  if (state == DATA || (state == RCDATA && rawElement == TEXTAREA)) {
    if (!isForeignCode()) fold(p, end, true);
  } else if (state == CDATA || state == PLAINTEXT || rawElement == XMP) fold(p, end, false);
}

/** The tag in tag.ts is a start tag. Returns the tokenizer's next state. */
export function onStartTag(): u32 {
  const element = tagElement;
  const number = element & ELEMENT;
  if ((element & INLINE) == 0) foldBreak();
  if (number == A) closeAnchor(foldEnd());
  if (!enter(tagKey, element, selfClosing)) {
    if (templates == 0 && attributeMask != 0) foreignLink(number);
    return DATA;
  }
  const isEmpty = selfClosing && (wanted & IS_XHTML) != 0;
  rawElement = number;
  if (number == TEMPLATE || number == NOSCRIPT) {
    if (!isEmpty) open(number);
  } else if (number != 0 && templates == 0) startElement(number);
  return isEmpty ? DATA : (element & CONTENT) >> 6;
}

function open(number: u32): void {
  if (number == TEMPLATE) templates++;
  else noscripts++;
}

/** Whether a CDATA section is text here. */
export function holdsCdata(): bool {
  return (wanted & IS_XHTML) != 0 || isForeign();
}

/** The tag in tag.ts is an end tag. */
export function onEndTag(): void {
  const element = tagElement;
  const number = element & ELEMENT;
  if ((element & INLINE) == 0) foldBreak();
  if (number == A) closeAnchor(foldEnd());
  if (!leave(tagKey, element)) return;
  if (number == TEMPLATE && templates != 0) templates--;
  else if (number == NOSCRIPT && noscripts != 0) noscripts--;
}

function startElement(number: u32): void {
  if (number == TITLE) {
    if (titleSeen) rawElement = 0;
    titleSeen = true;
    return;
  }
  if (attributeMask == 0) {
    return;
  }
  if (number == A) anchor(HREF);
  else if (number == AREA) link(KIND_AREA, HREF);
  else if (number == LINK) addLinkElement((wanted & WANT_EMBEDS) != 0);
  else if (number == META) meta();
  else if (number == BASE) base();
  else if (number == IFRAME) link(KIND_IFRAME, SRC);
  else if (number == FRAME) link(KIND_FRAME, SRC);
  else if (number == HTML) language();
  else if (number == FORM) form();
  else if ((wanted & WANT_EMBEDS) != 0) embeds(number);
}

function link(kind: u32, attribute: u32): void {
  if (takeValue(attribute)) addLink(kind);
}

/** `<a>`: its text runs to its end tag, to the next `<a>`, or to the page's end. */
function anchor(attribute: u32): void {
  link(KIND_A, attribute);
  if ((wanted & WANT_ANCHORS) != 0) openAnchor(foldEnd());
  else closeAnchor(0);
}

function foreignLink(number: u32): void {
  if (number == A) anchor(has(HREF) ? HREF : XLINK_HREF);
  else if ((wanted & WANT_EMBEDS) != 0 && (number == SVG_IMAGE || number == SCRIPT)) addEmbed(has(HREF) ? HREF : XLINK_HREF);
}

function embeds(number: u32): void {
  if (number == IMG || number == SOURCE || number == SVG_IMAGE) {
    addEmbed(SRC);
    if (has(SRCSET)) addSrcset();
  } else if (number == VIDEO) {
    addEmbed(SRC);
    addEmbed(POSTER);
  } else if (number == SCRIPT || number == AUDIO || number == TRACK || number == EMBED) addEmbed(SRC);
  else if (number == OBJECT) addEmbed(DATA_VALUE);
  else if (number == INPUT_ELEMENT && takeValue(TYPE) && equalsIgnoringCase(valuePtr, valuePtr + valueLen, "image")) {
    addEmbed(SRC);
  }
}

/** Only the first `<base>` that has a href counts (WHATWG HTML 4.2.3). */
function base(): void {
  if (baseSeen || !takeValue(HREF)) return;
  baseSeen = true;
  basePtr = valuePtr;
  baseLen = valueLen;
}

function language(): void {
  if (langLen != 0 || !takeValue(LANG)) return;
  langPtr = valuePtr;
  langLen = valueLen;
}

/** A form whose method is GET: missing, `get`, or none of the three that exist (WHATWG HTML 4.10.19.6). */
function form(): void {
  if ((wanted & WANT_FORMS) == 0) return;
  if (takeValue(METHOD)) {
    const end = valuePtr + valueLen;
    if (equalsIgnoringCase(valuePtr, end, "post") || equalsIgnoringCase(valuePtr, end, "dialog")) return;
  }
  link(KIND_FORM, ACTION);
}

function meta(): void {
  if (!has(CONTENT_VALUE)) return;
  if (takeValue(NAME) && namesRobots(valuePtr, valueLen) && takeValue(CONTENT_VALUE)) applyRobots(valuePtr, valueLen);
  if (!takeValue(HTTP_EQUIV) || !equalsIgnoringCase(valuePtr, valuePtr + valueLen, "refresh")) return;
  if (takeValue(CONTENT_VALUE)) addRefresh(valuePtr, valuePtr + valueLen);
}
