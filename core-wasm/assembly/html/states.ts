/** The tokenizer's states that span more than one token (WHATWG HTML 13.2.5). */

export const DATA: u32 = 0;
export const RCDATA: u32 = 1;
export const RAWTEXT: u32 = 2;
export const SCRIPT_DATA: u32 = 3;
export const PLAINTEXT: u32 = 4;
export const CDATA: u32 = 5;
