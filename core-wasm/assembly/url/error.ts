/**
 * Why a URL was refused. Invariant: code -n is case n - 1 of wit/core.wit's `url-error` and of ../../url_error.ts.
 */

export const E_RELATIVE: i32 = -1;
export const E_OPAQUE_BASE: i32 = -2;
export const E_BAD_BASE: i32 = -3;
export const E_HOST_MISSING: i32 = -4;
export const E_HOST_CODE_POINT: i32 = -5;
export const E_IPV4: i32 = -6;
export const E_IPV6: i32 = -7;
export const E_PORT: i32 = -8;
export const E_IDNA: i32 = -9;
export const E_INPUT_TOO_LONG: i32 = -10;
export const E_NO_ROOM: i32 = -11;
/** The rest only concern keys, not parsing. */
export const E_NOT_HTTP: i32 = -12;
export const E_USERINFO: i32 = -13;
export const E_URL_TOO_LONG: i32 = -14;
export const E_HOST_NO_DNS_NAME: i32 = -15;
