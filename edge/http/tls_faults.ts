/**
 * Names for what goes wrong in a TLS handshake, the same on both runtimes as far as they tell.
 * Invariant: every error has a name. Deno's TLS says "untrusted" also of certificates that aren't in their time.
 */

export type TlsFault =
  | "expired"
  | "not yet valid"
  | "wrong name"
  | "self-signed"
  | "untrusted"
  | "revoked"
  | "no TLS"
  | "old protocol"
  | `alert ${string}`
  | "other";

const BY_CODE: Readonly<Record<string, TlsFault>> = {
  CERT_HAS_EXPIRED: "expired",
  CERT_NOT_YET_VALID: "not yet valid",
  ERR_TLS_CERT_ALTNAME_INVALID: "wrong name",
  DEPTH_ZERO_SELF_SIGNED_CERT: "self-signed",
  SELF_SIGNED_CERT_IN_CHAIN: "self-signed",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "untrusted",
  UNABLE_TO_GET_ISSUER_CERT: "untrusted",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "untrusted",
  CERT_UNTRUSTED: "untrusted",
  CERT_REVOKED: "revoked",
  ERR_SSL_WRONG_VERSION_NUMBER: "no TLS",
  ERR_SSL_HTTP_REQUEST: "no TLS",
  ERR_SSL_UNSUPPORTED_PROTOCOL: "old protocol",
  ERR_SSL_UNKNOWN_PROTOCOL: "old protocol",
};

/** The fault that an error of the runtime's TLS means. */
export function tlsFault(code: string, message: string): TlsFault {
  const alert = alertOf(code, message);
  if (alert === "protocol_version") return "old protocol";
  if (alert !== undefined) return `alert ${alert}`;
  return BY_CODE[code] ?? "other";
}

/** The other side's alert (RFC 8446 6) in the RFC's spelling; undefined when it sent none. */
function alertOf(code: string, message: string): string | undefined {
  const words = /received fatal alert: (\w+)/.exec(message)?.[1]?.replace(/(?<=[a-z])[A-Z]/g, (one) => `_${one}`);
  const alert = words ?? /_ALERT_(\w+)$/.exec(code)?.[1];
  return alert?.toLowerCase().replace("unrecognised", "unrecognized");
}
